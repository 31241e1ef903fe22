#include "sweep/resolver.h"

#include <fmt/format.h>

#include "base/hash.h"
#include "sweep/request.h"
#include "workload/trace_file.h"

namespace edgenpu::sweep {

using config::HardwareFile;
using config::Override;
using config::Value;
using result::Cell;

namespace {

// A derived number as YAML: 16, not 16.0.
Value derived_value(const Cell& cell, const Formula& f) {
  if (std::holds_alternative<std::monostate>(cell))
    throw InputError(f.where, fmt::format("'{}' gives no value for '{}'", f.text, f.path));
  return Value::scalar(result::to_text(cell), f.where);
}

}  // namespace

const Value* last_value(const Assignments& assignments, const std::string& path) {
  const Value* value = nullptr;
  for (const Override& o : assignments)
    if (o.path == path) value = &o.value;
  return value;
}

std::vector<NamedCell> workload_cells(const StepRequest& r) {
  const auto text = [](const std::string& s) { return Cell(s); };
  return {{"hardware", text(r.hardware)},
          {"model", text(r.model)},
          {"quant", text(r.quant)},
          {"transform", text(r.transform)},
          {"phase", text(r.phase == workload::Phase::decode ? "decode" : "prefill")},
          {"context", r.context},
          {"prompt", r.prompt},
          {"batch", r.batch},
          {"kv", text(r.kv)},
          {"detail", text(r.burst_detail ? "burst" : "row")},
          {"repeat", text(r.memo ? "memo" : "full")}};
}

Resolver::Resolver(const Study& study, const std::string& data_dir, const std::string& tool)
    : study_(study), data_dir_(data_dir), tool_(tool) {}

const HardwareFile& Resolver::hardware(const Value& file) const {
  const auto known = files_.find(file.text());
  if (known != files_.end()) return known->second;
  try {
    return files_.emplace(file.text(), HardwareFile(file.text(), config::shipped_hardware(data_dir_)))
        .first->second;
  } catch (const InputError& e) {
    if (e.diagnostics()[0].position.line != 0) throw;
    throw InputError(file.position(), fmt::format("'{}': {}", file.text(), e.diagnostics()[0].message));
  }
}

Assignments Resolver::assignments(std::int64_t row, const std::string& without) const {
  Assignments all = study_.base;
  std::vector<std::size_t> choice(study_.groups.size());
  for (std::size_t g = study_.groups.size(); g-- > 0;) {
    const auto rows = static_cast<std::int64_t>(study_.groups[g].rows.size());
    choice[g] = static_cast<std::size_t>(row % rows);
    row /= rows;
  }
  for (std::size_t g = 0; g < study_.groups.size(); ++g)
    for (std::size_t i = 0; i < study_.groups[g].paths.size(); ++i)
      if (study_.groups[g].paths[i] != without)
        all.push_back({study_.groups[g].paths[i], study_.groups[g].rows[choice[g]][i]});
  return all;
}

Resolved Resolver::resolve(const Assignments& all) const {
  try {
    Resolved r{request_of(all, data_dir_), {}};
    r.tree = hardware(*last_value(all, "hardware")).resolve(hardware_overrides(all), r.request.quant);
    return r;
  } catch (const InputError& e) {
    throw blamed(e, all);
  }
}

std::vector<NamedCell> Resolver::cells(const Resolved& resolved) const {
  std::vector<NamedCell> cells = named_cells(resolved.tree);
  for (NamedCell& c : workload_cells(resolved.request)) cells.push_back(std::move(c));
  return cells;
}

void Resolver::load(Expressions& formulas, const Resolved& resolved) const {
  formulas.clear();
  for (const NamedCell& c : cells(resolved)) formulas.set(c.name, c.cell);
}

Assignments Resolver::with_derived(Assignments all, Expressions& formulas) const {
  if (study_.derive.empty()) return all;
  load(formulas, resolve(all));
  for (std::size_t i = 0; i < study_.derive.size(); ++i) {
    const Formula& f = study_.derive[i];
    all.push_back({f.path, derived_value(formulas.evaluate(static_cast<int>(i)), f)});
    const NamedCell cell = named_cell(f.path, all.back().value);
    formulas.set(cell.name, cell.cell);
  }
  return all;
}

const std::string& Resolver::trace_hash(const StepRequest& request) const {
  std::string workload;
  for (const NamedCell& c : workload_cells(request))
    if (c.name != "hardware") workload += result::to_text(c.cell) + "|";
  std::string& hash = trace_hashes_[workload];
  if (hash.empty()) hash = content_hash(workload::write_trace(trace_of(request)));
  return hash;
}

std::string Resolver::key(const Resolved& r) const {
  return content_hash(normal_text(r.tree) + trace_hash(r.request) +
                      (r.request.burst_detail ? "burst" : "row") + (r.request.memo ? "memo" : "full") +
                      tool_);
}

std::vector<std::string> Resolver::known_columns() const {
  std::vector<std::string> columns;
  for (const NamedCell& c : workload_cells({})) columns.push_back(c.name);
  for (const auto& [name, file] : files_)
    for (const NamedCell& c : named_cells(file.resolve({}))) columns.push_back(c.name);
  return columns;
}

}  // namespace edgenpu::sweep
