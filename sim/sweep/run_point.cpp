#include "sweep/run_point.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/memory.h"
#include "config/write.h"
#include "sweep/metrics.h"

namespace edgenpu::sweep {

namespace {

Row row_of(const Point& point, const std::string& status, const std::string& message) {
  Row row;
  row.number = point.number;
  row.id = point.id;
  row.status = status;
  row.message = message;
  return row;
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
  for (const std::string& note : result.notes) row.notes += (row.notes.empty() ? "" : kNoteBreak) + note;
}

}  // namespace

void (*before_point)(std::int64_t) = nullptr;

Row run_point(const Expansion& expansion, const Point& point) {
  Row row = row_of(point, "ok", "");
  try {
    const Resolved resolved = expansion.resolve(point);
    row.config = config::to_yaml(resolved.tree);
    row.hardware = resolved.request.hardware;
    if (before_point) before_point(point.number);
    const result::StepResult result = simulate(resolved.request, resolved.tree, Process::own);
    fill(row, resolved, result);
    if (!result.all_checks_ok()) {
      row.outputs.clear();  // numbers that broke physics are no results
      row.energy_J.clear();
      throw InternalError(failed_checks(result));
    }
  } catch (const TooLargeToSimulate& e) {
    row.status = "failed";  // by the tool, not by what it simulates
    row.message = e.what();
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

}  // namespace edgenpu::sweep
