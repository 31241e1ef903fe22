#include "config/resolve.h"

#include <filesystem>

#include "base/files.h"
#include "base/suggest.h"

namespace edgenpu::config {

namespace {

namespace fs = std::filesystem;

constexpr int kMaxExtends = 8;

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

Value load_extended(const std::string& path, int depth) {
  Value tree = spread_sources(parse_file(path));
  if (!tree.is_map()) throw InputError(Position{path, 1, 1}, "a hardware description must be a map");
  const Value* extends = tree.find("extends");
  if (!extends) return tree;
  if (!extends->is_scalar()) throw InputError(extends->position(), "'extends' must name a file");
  if (depth >= kMaxExtends) throw InputError(extends->position(), "'extends' goes in a circle or too deep");
  const std::string base = (fs::path(path).parent_path() / extends->text()).string();
  if (kind_of(base, extends->position()) == PathKind::absent)
    throw InputError(extends->position(), "no such file: " + base);
  tree.erase("extends");
  return merge(load_extended(base, depth + 1), tree);
}

}  // namespace

HardwareFile::HardwareFile(const std::string& path)
    : tree_(load_extended(path, 0)), folder_(fs::path(path).parent_path().string()) {
  const Value* runtimes = tree_.find("runtime_for");
  if (!runtimes) return;
  if (!runtimes->is_map())
    throw InputError(
        runtimes->position(),
        "'runtime_for' must be a map from quantisations to runtimes, found " + describe(*runtimes));
  for (const Value::Entry& e : runtimes->entries())
    if (e.key != "source") part("runtime", e.value);
}

const Value& HardwareFile::part(const std::string& section, const Value& name) const {
  const fs::path folder = fs::path(folder_) / section;
  const std::string file = (folder / (name.text() + ".yaml")).string();
  if (const auto known = parts_.find(file); known != parts_.end()) return known->second;
  if (kind_of(file, name.position()) == PathKind::absent) {
    const auto names = yaml_names(folder.string());
    throw InputError(name.position(), "no " + section + " part '" + name.text() +
                                          "'; there are: " + join(names) + did_you_mean(name.text(), names));
  }
  return parts_[file] = spread_sources(parse_file(file));
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
  const Value* runtimes = quant.empty() ? nullptr : tree_.find("runtime_for");
  const Value* runtime = runtimes ? runtimes->find(quant) : nullptr;
  Value tree = tree_;
  if (runtime) set_path(tree, "runtime.part", *runtime);
  return tree;
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
  return with_parts(tree);
}

Value load_hardware_tree(const std::string& path, const std::vector<std::string>& overrides,
                         const std::string& quant) {
  const HardwareFile file(path);
  Value tree = file.for_quant(quant);
  for (const std::string& assignment : overrides) {
    HardwareFile::refuse_runtime_for(assignment.substr(0, assignment.find('=')), {"--set " + assignment});
    apply_override(tree, assignment);
  }
  return file.with_parts(tree);
}

}  // namespace edgenpu::config
