#include "cli/memory_options.h"

#include "base/files.h"
#include "base/suggest.h"
#include "config/resolve.h"
#include "config/set_once.h"

namespace edgenpu::cli {

namespace {

std::string unknown_part(const std::string& name) {
  const std::vector<std::string> parts = yaml_names(data_dir() + "/hw_configs/memory");
  return "'" + name + "' is neither a file nor a part; there are: " + join(parts) + did_you_mean(name, parts);
}

// The memory section of a part file, of a part named like one, or of a hardware file.
config::Value load_section(const std::string& name) {
  std::string path = name;
  const std::string part = data_dir() + "/hw_configs/memory/" + name + ".yaml";
  const auto absent = [](const std::string& p) {
    return kind_of(p, Position{"--memory"}) == PathKind::absent;
  };
  if (absent(path) && name.find('/') == std::string::npos && !absent(part)) path = part;
  if (absent(path)) throw InputError(Position{"--memory"}, unknown_part(name));
  const config::Value tree = config::parse_file(path);
  if (!tree.is_map()) throw InputError(Position{path, 1, 1}, "a memory description must be a map");
  if (!tree.find("memory")) return tree;
  const config::Value merged = config::load_hardware_tree(path, {}, "", config::shipped_hardware(data_dir()));
  return *merged.find("memory");
}

void set_text(config::Value& section, const std::string& key, const po::variables_map& values) {
  if (!values.count(key)) return;
  section.set(key, config::Value::scalar(values[key].as<std::string>(), Position{"--" + key}));
}

// More channels are more of the same: the capacity grows with them.
void set_channels(config::Value& section, const po::variables_map& values) {
  if (!values.count("channels")) return;
  Diagnostics out;
  const config::Memory before = config::read_memory(section, out);
  out.throw_if_any();
  const std::int64_t channels = count_of(values, "channels", 1);
  config::apply_override(section, "channels=" + std::to_string(channels));
  config::apply_override(section,
                         "capacity=" + std::to_string(before.channel_capacity().count() * channels) + " B");
}

const std::string kPrefix = "memory.";

// Options of their own set what --set could set as well.
void refuse_set_twice(const po::variables_map& values) {
  std::vector<std::string> all;
  for (const std::string& s : settings_of(values))
    all.push_back(s.rfind(kPrefix, 0) == 0 ? s.substr(kPrefix.size()) : s);
  config::refuse_set_twice(all);
  const std::pair<const char*, std::vector<std::string>> options[] = {
      {"mapping", {"mapping"}},
      {"refresh", {"refresh"}},
      {"channels", {"channels", "capacity"}},
      {"refresh-interval", {"timing.tREFI", "timing.tREFIpb"}}};
  for (const auto& [option, paths] : options)
    for (const std::string& path : paths)
      for (const std::string& s : all)
        if (values.count(option) && s.substr(0, s.find('=')) == path)
          throw InputError(Position{"--set " + s}, "--" + std::string(option) + " sets '" + path +
                                                       "' as well; one of the two is allowed");
}

// "memory.channels=4" and "channels=4" are the same here.
void set_part(config::Value& section, const std::string& assignment) {
  if (assignment.rfind(kPrefix, 0) != 0) return config::apply_override(section, assignment);
  config::Value whole = config::Value::empty_map(section.position());
  whole.set("memory", std::move(section));
  config::apply_override(whole, assignment);
  section = std::move(*whole.find("memory"));
}

void set_refresh_interval(config::Value& section, const po::variables_map& values) {
  if (!values.count("refresh-interval")) return;
  const config::Value* mode = section.find("refresh");
  const std::string how = mode && mode->is_scalar() ? mode->text() : "";
  if (how == "none")
    refuse(values, {"refresh-interval"}, "there is no refresh: --refresh ab or pb is needed");
  config::set_path(
      section, how == "pb" ? "timing.tREFIpb" : "timing.tREFI",
      config::Value::scalar(values["refresh-interval"].as<std::string>(), Position{"--refresh-interval"}));
}

}  // namespace

config::Memory memory_of(const po::variables_map& values, config::Value& section) {
  section = load_section(
      required(values, "memory", "a memory YAML, for example hw_configs/memory/lpddr5-6400.yaml"));
  refuse_set_twice(values);
  for (const std::string& o : settings_of(values)) set_part(section, o);
  set_channels(section, values);
  set_text(section, "mapping", values);
  set_text(section, "refresh", values);
  set_refresh_interval(section, values);
  Diagnostics out;
  config::Memory memory = config::read_memory(section, out);
  out.throw_if_any();
  if (memory.ideal)
    throw InputError(Position{"--set memory.ideal"},
                     "an ideal memory takes no time: there is nothing to measure");
  return memory;
}

}  // namespace edgenpu::cli
