#include "study/run_point.h"

#include <cstdlib>
#include <fmt/format.h>
#include <unistd.h>

#include "base/error.h"
#include "config/write.h"
#include "study/metrics.h"

namespace edgenpu::study {

namespace {

Row row_of(const Point& point, const std::string& status, const std::string& message) {
  Row row;
  row.number = point.number;
  row.id = point.id;
  row.status = status;
  row.message = message;
  return row;
}

void injected_fault(std::int64_t number) {
  const char* faults = std::getenv("EDGENPU_TEST_FAULTS");
  if (!faults) return;
  const std::string list = fmt::format(",{},", faults);
  const auto asked = [&](const char* fault) {
    return list.find(fmt::format(",{}:{},", number, fault)) != std::string::npos;
  };
  if (asked("crash")) std::abort();
  while (asked("hang")) ::pause();
  if (asked("memory")) {
    std::vector<std::string> hoard;
    while (true) hoard.emplace_back(std::size_t{64} << 20, 'x');
  }
}

std::string failed_checks(const result::StepResult& result) {
  std::string text;
  for (const result::Check& c : result.checks)
    if (!c.ok) text += fmt::format("{}check failed: {}: {}", text.empty() ? "" : "; ", c.name, c.detail);
  return text;
}

void fill(Row& row, const Resolved& resolved, const result::StepResult& result) {
  row.outputs = output_cells(result);
  for (const result::NamedEnergy& e : result.energy_J) row.energy_J.emplace_back(e.component, e.joules);
  row.power_scope = result.power_scope;
  row.hardware_hash = result.inputs.hardware_hash;
  row.trace_hash = result.inputs.trace_hash;
  row.hardware = resolved.request.hardware;
}

}  // namespace

Row run_point(const Expansion& expansion, const Point& point) {
  Row row = row_of(point, "ok", "");
  try {
    const Resolved resolved = expansion.resolve(point);
    row.config = config::to_yaml(resolved.tree);
    row.hardware = resolved.request.hardware;
    injected_fault(point.number);
    if (!point.broken.empty()) throw InfeasibleError("breaks the constraint " + point.broken);
    const result::StepResult result = simulate(resolved.request, resolved.tree, Process::own);
    fill(row, resolved, result);
    if (!result.all_checks_ok()) {
      row.outputs.clear();  // numbers that broke physics are no results
      row.energy_J.clear();
      throw InternalError(failed_checks(result));
    }
    const std::string broken = expansion.broken_by(resolved, row.outputs);
    if (!broken.empty()) throw InfeasibleError("breaks the constraint " + broken);
  } catch (const InfeasibleError& e) {
    row.status = "infeasible";
    row.message = e.what();
  } catch (const std::bad_alloc&) {
    throw;  // the pool knows the limit
  } catch (const std::exception& e) {
    row.status = "failed";
    row.message = e.what();
  }
  return row;
}

Row lost_row(const Point& point, const std::string& why) {
  return row_of(point, "failed", why);
}

}  // namespace edgenpu::study
