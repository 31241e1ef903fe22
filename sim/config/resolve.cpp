#include "config/resolve.h"

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "base/suggest.h"

namespace edgenpu::config {

namespace {

namespace fs = std::filesystem;

constexpr int kMaxExtends = 8;
constexpr const char* kKinds[] = {"npu", "cpu", "gpu", "system"};
const std::string kEnding = ".yaml";

bool has_ending(const std::string& text) {
  return text.size() > kEnding.size() &&
         text.compare(text.size() - kEnding.size(), kEnding.size(), kEnding) == 0;
}

// Of the shipped description of this name; "" if there is none.
std::string shipped_file(const std::string& name, const std::string& shipped) {
  if (shipped.empty() || name.empty() || name.find('/') != std::string::npos) return "";
  for (const char* kind : kKinds) {
    const std::string path = shipped + "/" + kind + "/" + name + kEnding;
    if (kind_of(path, Position{name}) != PathKind::absent) return path;
  }
  return "";
}

Value spread_sources(const Value& value) {
  if (!value.is_map()) return value;
  Value spread = Value::empty_map(value.position());
  const Value* source = value.find("source");
  const bool is_long_form = value.find("value") != nullptr;
  for (const Value::Entry& e : value.entries()) spread.set_at(e.key, e.key_position, spread_sources(e.value));
  if (!source || !source->is_scalar() || is_long_form) return spread;
  Value by_key = Value::empty_map(source->position());
  for (const Value::Entry& e : value.entries())
    if (e.key != "source" && e.value.is_scalar()) by_key.set(e.key, *source);
  spread.set("source", by_key);
  return spread;
}

void add_once(std::vector<std::string>& folders, const std::string& folder) {
  if (std::find(folders.begin(), folders.end(), folder) == folders.end()) folders.push_back(folder);
}

std::string folder_of(const std::string& path) {
  return fs::path(path).parent_path().string();
}

// Where the parts of a description are sought: beside it, and beside the folder of its kind.
void add_places(std::vector<std::string>& folders, const std::string& path) {
  const fs::path folder = folder_of(path);
  add_once(folders, folder.string());
  for (const char* kind : kKinds)
    if (folder.filename() == kind) add_once(folders, folder.parent_path().string());
}

// "x", or "x or y": where something was sought.
std::string sought(const std::string& name, const std::vector<std::string>& folders) {
  std::string text;
  for (const std::string& folder : folders)
    text += (text.empty() ? "" : " or ") + (fs::path(folder) / name).lexically_normal().string();
  return text;
}

// Of the first folder that has it.
std::string find_file(const std::string& name, const std::vector<std::string>& folders,
                      const Position& where) {
  for (const std::string& folder : folders) {
    const std::string path = (fs::path(folder) / name).string();
    if (kind_of(path, where) != PathKind::absent) return path;
  }
  return "";
}

// What a misspelt NAME|FILE, or one of a description that has moved, was meant to be.
std::string hint(const std::string& name_or_file, const std::string& shipped) {
  return did_you_mean(fs::path(name_or_file).filename().replace_extension("").string(),
                      hardware_names(shipped));
}

std::string extended_file(const Value& extends, const std::string& path, const std::string& shipped) {
  if (!extends.is_scalar()) throw InputError(extends.position(), "'extends' must name a file");
  const std::string& text = extends.text();
  std::vector<std::string> places = {folder_of(path)};
  if (!shipped.empty()) add_once(places, shipped);
  if (names_a_file(text))
    if (const std::string file = find_file(text, places, extends.position()); !file.empty()) return file;
  const std::string name = has_ending(text) ? text.substr(0, text.size() - kEnding.size()) : text;
  if (const std::string file = shipped_file(name, shipped); !file.empty()) return file;
  throw InputError(extends.position(), "no such file: " + sought(text, places) + hint(text, shipped));
}

Value load_extended(const std::string& path, const std::string& shipped, std::vector<std::string>& folders,
                    int depth) {
  add_places(folders, path);
  Value tree = spread_sources(parse_file(path));
  if (!tree.is_map()) throw InputError(Position{path, 1, 1}, "a hardware description must be a map");
  const Value* extends = tree.find("extends");
  if (!extends) return tree;
  if (depth >= kMaxExtends) throw InputError(extends->position(), "'extends' goes in a circle or too deep");
  const std::string base = extended_file(*extends, path, shipped);
  tree.erase("extends");
  return merge(load_extended(base, shipped, folders, depth + 1), tree);
}

Value extended_unit(const Value::Entry& unit, const std::string& path, const std::string& shipped,
                    std::vector<std::string>& folders) {
  const Value* extends = unit.value.find("extends");
  if (!extends) return unit.value;
  const std::string file = extended_file(*extends, path, shipped);
  Value own = unit.value;
  own.erase("extends");
  Value base = load_extended(file, shipped, folders, 1);
  base.erase("memory");
  return merge(base, own);
}

// The units of a system, each as a tree.
Value with_units(Value tree, const std::string& path, const std::string& shipped,
                 std::vector<std::string>& folders) {
  const Value* section = tree.find("units");
  if (!section || !section->is_map()) return tree;
  Value units = Value::empty_map(section->position());
  for (const Value::Entry& unit : section->entries())
    units.set_at(unit.key, unit.key_position, extended_unit(unit, path, shipped, folders));
  tree.set("units", std::move(units));
  return tree;
}

// `change` of a tree, or of each unit of a system.
template <class Change>
Value of_each_unit(Value tree, const Change& change) {
  tree = change(std::move(tree));
  const Value* section = tree.find("units");
  if (!section || !section->is_map()) return tree;
  Value units = Value::empty_map(section->position());
  for (const Value::Entry& unit : section->entries())
    units.set_at(unit.key, unit.key_position, unit.value.is_map() ? change(unit.value) : unit.value);
  tree.set("units", std::move(units));
  return tree;
}

}  // namespace

HardwareFile::HardwareFile(const std::string& name_or_file, const std::string& shipped) {
  const std::string path = hardware_file(name_or_file, shipped);
  tree_ = with_units(load_extended(path, shipped, folders_, 0), path, shipped, folders_);
  if (!shipped.empty()) add_once(folders_, shipped);
  check_runtimes(tree_);
  if (const Value* units = tree_.find("units"); units && units->is_map())
    for (const Value::Entry& unit : units->entries())
      if (unit.value.is_map()) check_runtimes(unit.value);
}

void HardwareFile::check_runtimes(const Value& tree) const {
  const Value* runtimes = tree.find("runtime_for");
  if (!runtimes) return;
  if (!runtimes->is_map())
    throw InputError(
        runtimes->position(),
        "'runtime_for' must be a map from quantisations to runtimes, found " + describe(*runtimes));
  for (const Value::Entry& e : runtimes->entries())
    if (e.key != "source") part("runtime", e.value);
}

const Value& HardwareFile::part(const std::string& section, const Value& name) const {
  const std::string file = section + "/" + name.text() + ".yaml";
  if (const auto known = parts_.find(file); known != parts_.end()) return known->second;
  const std::string path = name.text().empty() ? "" : find_file(file, folders_, name.position());
  if (!path.empty()) return parts_[file] = spread_sources(parse_file(path));
  std::vector<std::string> names;
  for (const std::string& folder : folders_)
    for (const std::string& n : yaml_names((fs::path(folder) / section).string())) add_once(names, n);
  throw InputError(name.position(),
                   "no " + section + " part '" + name.text() + "'; there " +
                       (names.empty() ? "are none in " + sought(section, folders_) : "are: " + join(names)) +
                       did_you_mean(name.text(), names));
}

Value HardwareFile::with_parts(const Value& tree) const {
  Value resolved = Value::empty_map(tree.position());
  for (const Value::Entry& e : tree.entries()) {
    const Value* name = e.value.find("part");
    resolved.set_at(e.key, e.key_position, name ? merge(part(e.key, *name), e.value) : e.value);
  }
  return resolved;
}

Value HardwareFile::for_quant(const std::string& quant) const {
  return of_each_unit(tree_, [&](Value tree) {
    const Value* runtimes = quant.empty() ? nullptr : tree.find("runtime_for");
    const Value* found = runtimes ? runtimes->find(quant) : nullptr;
    if (!found) return tree;
    const Value runtime = *found;
    set_path(tree, "runtime.part", runtime);
    return tree;
  });
}

// It has been read when overrides come.
void HardwareFile::refuse_runtime_for(const std::string& path, const Position& where) {
  const std::string key = "runtime_for";
  if (path.rfind(key, 0) == 0 && (path.size() == key.size() || path[key.size()] == '.'))
    throw InputError(where, "'runtime_for' cannot be overridden; runtime.part=NAME chooses the runtime");
}

Value HardwareFile::resolve(const std::vector<Override>& overrides, const std::string& quant) const {
  Value tree = for_quant(quant);
  for (const Override& o : overrides) {
    refuse_runtime_for(o.path, o.value.position());
    set_path(tree, o.path, o.value);
  }
  return of_each_unit(std::move(tree), [this](Value t) { return with_parts(t); });
}

Value load_hardware_tree(const std::string& name_or_file, const std::vector<std::string>& overrides,
                         const std::string& quant, const std::string& shipped) {
  const HardwareFile file(name_or_file, shipped);
  Value tree = file.for_quant(quant);
  for (const std::string& assignment : overrides) {
    HardwareFile::refuse_runtime_for(assignment.substr(0, assignment.find('=')), {"--set " + assignment});
    apply_override(tree, assignment);
  }
  return of_each_unit(std::move(tree), [&file](Value t) { return file.with_parts(t); });
}

bool names_a_file(const std::string& name_or_file) {
  return name_or_file.find('/') != std::string::npos || has_ending(name_or_file);
}

std::vector<std::string> hardware_names(const std::string& shipped) {
  std::vector<std::string> all;
  for (const char* kind : kKinds)
    for (std::string& name : yaml_names(shipped + "/" + kind)) all.push_back(std::move(name));
  return all;
}

std::string hardware_file(const std::string& name_or_file, const std::string& shipped) {
  const bool file = names_a_file(name_or_file);
  if (const std::string path = file ? "" : shipped_file(name_or_file, shipped); !path.empty()) return path;
  if (shipped.empty() || kind_of(name_or_file) != PathKind::absent) return name_or_file;
  if (const std::string meant = hint(name_or_file, shipped); file && !meant.empty())
    throw InputError(Position{name_or_file}, "No such file or directory" + meant);
  if (file) return name_or_file;
  throw InputError(Position{name_or_file}, "is neither a file nor a shipped description; there are: " +
                                               join(hardware_names(shipped)) + hint(name_or_file, shipped));
}

std::string shipped_hardware(const std::string& data_dir) {
  return data_dir.empty() ? "" : data_dir + "/hw_configs";
}

}  // namespace edgenpu::config
