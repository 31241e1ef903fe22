#include "sweep/study_file.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

#include "base/suggest.h"
#include "config/reader.h"
#include "config/resolve.h"
#include "sweep/axis.h"

namespace edgenpu::sweep {

using config::MapReader;
using config::Provenance;
using config::Value;

namespace {

namespace fs = std::filesystem;

void check_name(const Value& document, const std::string& name, Diagnostics& out) {
  const bool fine = std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '-' || c == '_' || c == '.';
  });
  if (!fine || name.empty() || name[0] == '.' || name[0] == '-')
    if (const Value* value = document.find("study"))
      out.add(
          value->position(),
          "a study's name has letters, digits, '-', '_' and '.' only, and starts with neither '.' nor '-'");
}

// Files are named relative to the study. Hardware may be a name, too.
Value near_file(const Value& value, const std::string& file) {
  const fs::path path = value.text();
  return Value::scalar(
      path.is_absolute() ? path.string() : (fs::path(file).parent_path() / path).lexically_normal().string(),
      value.position());
}

// A model by its name in models/ has neither a folder nor an ending that open_model reads as a file.
bool is_file(const std::string& path, const std::string& text) {
  if (path == "hardware") return config::names_a_file(text);
  if (text.find('/') != std::string::npos) return true;
  const std::string ending = fs::path(text).extension().string();
  return ending == ".yaml" || ending == ".json" || ending == ".gguf";
}

Value resolved_file(const std::string& path, const Value& value, const std::string& file) {
  const bool names_file = value.is_scalar() && (path == "hardware" || path == "model");
  return names_file && is_file(path, value.text()) ? near_file(value, file) : value;
}

void read_base(MapReader& top, Study& study, Diagnostics& out) {
  for (const char* key : {"hardware", "model"}) {
    const Value* value = top.value().find(key);
    top.accept(key);
    if (value) study.base.push_back({key, resolved_file(key, *value, study.file)});
  }
  if (const Value* workload = top.map("workload", true)) {
    for (const Value::Entry& e : workload->entries()) {
      if (is_workload_path(e.key) && e.key != "hardware" && e.key != "model") {
        study.base.push_back({e.key, e.value});
      } else {
        out.add(e.key_position, fmt::format("unknown key '{}' in 'workload'; allowed: {}{}", e.key,
                                            join(workload_paths()), did_you_mean(e.key, workload_paths())));
      }
    }
  }
  if (const Value* set = top.map("set", true))
    for (const Value::Entry& e : set->entries()) {
      if (is_workload_path(e.key))
        out.add(e.key_position, fmt::format("'{}' belongs under 'workload'", e.key));
      study.base.push_back({e.key, e.value});
    }
}

Group grid_axis(const Value::Entry& e, Diagnostics& out) {
  Group group{{e.key}, {e.key_position}, {}};
  for (Value& v : axis_values(e.key, e.value, out)) group.rows.push_back({std::move(v)});
  return group;
}

Group zipped(const Value& form, Diagnostics& out) {
  Group group;
  for (const Value::Entry& e : form.entries()) {
    const std::vector<Value> values = axis_values(e.key, e.value, out);
    if (group.paths.empty()) group.rows.resize(values.size());
    group.paths.push_back(e.key);
    group.positions.push_back(e.key_position);
    if (values.size() != group.rows.size()) {
      out.add(e.value.position(),
              fmt::format("'{}' has {} values and the first list of this zip has {}; lists that advance "
                          "together have the same length",
                          e.key, values.size(), group.rows.size()));
      continue;
    }
    for (std::size_t i = 0; i < values.size(); ++i) group.rows[i].push_back(values[i]);
  }
  return group;
}

void read_axes(const Value& axes, Study& study, Diagnostics& out) {
  MapReader r(axes, out, "'axes'", Provenance::optional);
  for (const Value::Entry& e : axes.entries()) {
    if (e.key == "grid") {
      if (const Value* grid = r.map("grid"))
        for (const Value::Entry& axis : grid->entries()) study.groups.push_back(grid_axis(axis, out));
    } else if (e.key == "zip") {
      if (const Value* zips = r.list("zip"))
        for (const Value& zip : zips->items()) {
          if (!zip.is_map())
            out.add(zip.position(), "a zip is a map of paths and lists, found " + config::describe(zip));
          study.groups.push_back(zipped(zip, out));
        }
    } else if (e.key == "random" || e.key == "latin_hypercube") {
      const Sampling kind = e.key == "random" ? Sampling::random : Sampling::latin_hypercube;
      if (const Value* form = r.map(e.key)) study.groups.push_back(sample(kind, *form, out));
    }
  }
  for (const char* key : {"grid", "zip", "random", "latin_hypercube"}) r.accept(key);
  r.finish();
}

void check_paths(Study& study, Diagnostics& out) {
  std::vector<std::string> seen;
  for (Group& group : study.groups) {
    for (std::size_t i = 0; i < group.paths.size(); ++i) {
      if (std::count(seen.begin(), seen.end(), group.paths[i]))
        out.add(group.positions[i], fmt::format("'{}' is an axis already", group.paths[i]));
      seen.push_back(group.paths[i]);
      for (auto& row : group.rows)
        if (i < row.size()) row[i] = resolved_file(group.paths[i], row[i], study.file);
    }
  }
  for (const char* key : {"hardware", "model"}) {
    const bool based =
        std::any_of(study.base.begin(), study.base.end(), [&](const auto& o) { return o.path == key; });
    if (!based && !std::count(seen.begin(), seen.end(), key))
      out.add({study.file, 1, 1}, fmt::format("'{}' is missing: neither at the top nor an axis", key));
  }
}

std::vector<Formula> conditions(MapReader& top, const std::string& key, Diagnostics& out) {
  std::vector<Formula> formulas;
  const Value* list = top.has(key) ? top.list(key, true) : nullptr;
  top.accept(key);
  if (!list) return formulas;
  for (const Value& item : list->items()) {
    if (item.is_scalar())
      formulas.push_back({"", item.text(), item.position()});
    else
      out.add(list->position(), fmt::format("'{}' lists expressions, found {}", key, config::describe(item)));
  }
  return formulas;
}

void read_limits(MapReader& top, Study& study, Diagnostics& out) {
  const Value* limits = top.map("limits", true);
  if (!limits) return;
  MapReader r(*limits, out, "'limits'", Provenance::optional);
  study.timeout_s = r.quantity("timeout", config::unit::time, {1e-3, 1e7}, study.timeout_s);
  study.memory_B = r.bytes("memory", {1 << 20, std::int64_t{1} << 50}, Bytes(study.memory_B)).count();
  r.finish();
}

}  // namespace

const std::vector<std::string>& workload_paths() {
  static const std::vector<std::string> paths = {"hardware", "model",   "quant",  "transform",
                                                 "phase",    "context", "prompt", "batch",
                                                 "kv",       "detail",  "repeat"};
  return paths;
}

bool is_workload_path(const std::string& path) {
  return std::count(workload_paths().begin(), workload_paths().end(), path) > 0;
}

Study read_study(const std::string& file) {
  const Value document = config::parse_file(file);
  if (!document.is_map()) throw InputError(Position{file, 1, 1}, "a study must be a map");
  Diagnostics out;
  MapReader top(document, out, "the study", Provenance::optional);
  Study study;
  study.file = file;
  study.name = top.text("study");
  study.question = top.text("question", "");
  check_name(document, study.name, out);
  read_base(top, study, out);
  if (const Value* axes = top.map("axes")) read_axes(*axes, study, out);
  if (const Value* derive = top.map("derive", true))
    for (const Value::Entry& e : derive->entries()) {
      if (e.value.is_scalar())
        study.derive.push_back({e.key, e.value.text(), e.value.position()});
      else
        out.add(e.key_position, "an expression is text, found " + config::describe(e.value));
    }
  study.exclude = conditions(top, "exclude", out);
  study.constraints = conditions(top, "constraints", out);
  read_limits(top, study, out);
  top.finish();
  check_paths(study, out);
  out.throw_if_any();
  return study;
}

}  // namespace edgenpu::sweep
