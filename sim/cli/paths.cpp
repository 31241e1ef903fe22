#include "cli/paths.h"

#include "base/files.h"
#include "report/output.h"

namespace edgenpu::cli {

namespace {

const std::string kFile = "FILE", kNameOrFile = "NAME|FILE", kOut = "OUT", kCache = "CACHE",
                  kDatabase = "DATABASE", kFolder = "FOLDER";

struct Path {
  std::string label, role, path;  // label: "--json"
};

template <class T>
po::typed_value<T>* valued(const std::string& role) {
  po::typed_value<T>* value = po::value<T>();
  value->value_name(role);
  return value;
}

// The first word of what --help shows: a default may follow.
std::string role_of(const po::option_description& option) {
  const std::string name = option.semantic()->name();
  const std::string role = name.substr(0, name.find(' '));
  for (const std::string& known : {kFile, kNameOrFile, kOut, kCache, kDatabase, kFolder})
    if (role == known) return role;
  return "";
}

std::vector<std::string> texts_of(const po::variable_value& value) {
  if (value.value().type() == typeid(std::vector<std::string>)) return value.as<std::vector<std::string>>();
  return {value.as<std::string>()};
}

std::vector<Path> paths_of(const po::options_description& options, const po::variables_map& values) {
  std::vector<Path> all;
  for (const auto& option : options.options()) {
    const std::string& name = option->long_name();
    if (role_of(*option).empty() || values.count(name) == 0 || values[name].defaulted()) continue;
    for (const std::string& text : texts_of(values[name]))
      all.push_back({"--" + name, role_of(*option), text});
  }
  return all;
}

bool is_input(const Path& p) {
  return p.role == kFile || p.role == kNameOrFile;
}

[[noreturn]] void refuse(const Path& p, const std::string& why) {
  throw InputError(Position{p.label}, why);
}

void check_input(const Path& p) {
  if (p.path.empty()) refuse(p, "found an empty path; a file is needed");
  kind_of(p.path);  // or throws
}

void check_regular(const Path& p) {
  if (p.path == "-") refuse(p, "goes to a file, not to standard output (-)");
  if (p.role == kDatabase && p.path[0] == ':')
    refuse(p, "SQLite keeps nothing under such a name; ./" + p.path);
  report::check_output(p.path);
  if (kind_of(p.path) == PathKind::other) refuse(p, p.path + " is not a regular file");
}

void check_output(const Path& p) {
  if (p.path.empty()) refuse(p, "found an empty path; a name is needed");
  if (p.role == kFolder) {
    if (const PathKind kind = kind_of(p.path); kind != PathKind::folder && kind != PathKind::absent)
      refuse(p, p.path + " is there already and is no folder");
    return;
  }
  if (p.role != kOut) return check_regular(p);
  report::check_output(p.path);
}

// Standard output can be named as a device, too, which takes any number of texts; a file takes one.
bool one_place(const std::string& a, const std::string& b) {
  if (a == "-" || b == "-") return a == b;
  return same_file(a, b) && kind_of(a) != PathKind::other;
}

void keep_apart(const Path& output, const Path& other) {
  if (!one_place(output.path, other.path)) return;
  if (output.path == "-") refuse(output, "standard output (-) is taken by another option already");
  if (is_input(other))
    refuse(output, output.path + " is the input of " + other.label + "; an output never replaces an input");
  refuse(output, output.path + " is taken by " + other.label + " already");
}

}  // namespace

po::typed_value<std::string>* input_file() {
  return valued<std::string>(kFile);
}
po::typed_value<std::vector<std::string>>* input_files() {
  return valued<std::vector<std::string>>(kFile);
}
po::typed_value<std::string>* name_or_file() {
  return valued<std::string>(kNameOrFile);
}
po::typed_value<std::vector<std::string>>* names_or_files() {
  return valued<std::vector<std::string>>(kNameOrFile);
}
po::typed_value<std::string>* output_file() {
  return valued<std::string>(kOut);
}
po::typed_value<std::string>* cache_file() {
  return valued<std::string>(kCache);
}
po::typed_value<std::string>* database_file() {
  return valued<std::string>(kDatabase);
}
po::typed_value<std::string>* output_folder() {
  return valued<std::string>(kFolder);
}

void check_paths(const po::options_description& options, const po::variables_map& values) {
  const std::vector<Path> all = paths_of(options, values);
  for (const Path& p : all)
    if (is_input(p)) check_input(p);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (is_input(all[i])) continue;
    check_output(all[i]);
    for (std::size_t j = 0; j < all.size(); ++j)
      if (j < i || is_input(all[j])) keep_apart(all[i], all[j]);
  }
  for (const Path& p : all)
    if (!is_input(p) && p.role != kFolder) claim_output(p.path, p.label);
}

void check_new_file(const std::string& path, const std::vector<std::string>& inputs) {
  check_regular({path, kDatabase, path});
  for (const std::string& input : inputs)
    if (same_file(path, input))
      throw InputError(Position{path}, "is an input, too; an output never replaces an input");
}

}  // namespace edgenpu::cli
