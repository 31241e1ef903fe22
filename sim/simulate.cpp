#include "simulate.h"

#include <chrono>

#include "config/npu.h"
#include "config/resolve.h"
#include "energy/price.h"
#include "hardware/npu/run_npu.h"
#include "hardware/worker.h"
#include "simulate/assemble.h"
#include "simulate/memo.h"
#include "workload/model_source.h"
#include "workload/trace_file.h"
#include "workload/transform.h"

namespace edgenpu {

workload::Trace trace_of(const StepRequest& r) {
  if (!r.trace_file.empty()) return workload::read_trace(r.trace_file);
  workload::StoredModel model = workload::open_model(r.model, r.quant, r.data_dir);
  if (!r.transform.empty()) model = workload::transform(std::move(model), r.transform, r.data_dir);
  const workload::Format kv = workload::kv_format_by_name(r.kv);
  if (r.phase == workload::Phase::prefill) return workload::generate_prefill(model, r.prompt, r.context, kv);
  return workload::generate_decode(model, r.context, r.batch, kv);
}

void check_hardware(const config::Value& tree) {
  config::read_npu(tree);
  energy::read_table(*tree.find("energy"));
}

result::StepResult simulate(const StepRequest& request) {
  return simulate(request, config::load_hardware_tree(request.hardware, request.overrides), Process::child);
}

result::StepResult simulate(const StepRequest& request, const config::Value& tree, Process process) {
  const auto started = std::chrono::steady_clock::now();
  const config::Npu npu = config::read_npu(tree);
  const energy::Table table = energy::read_table(*tree.find("energy"));

  const workload::Trace trace = trace_of(request);
  const simulate_detail::StepPlan plan(trace, npu, request.memo);
  const auto step = [&] { return hardware::run_npu(npu, plan.program(), request.burst_detail); };
  const hardware::WorkerResult run =
      process == Process::child ? hardware::run_in_worker(step) : hardware::run_here(step);
  const simulate_detail::Extrapolated whole = plan.extrapolate(run.snapshot);
  const energy::StepEnergy energy = energy::price(whole.run, table, simulate_detail::sizes_of(npu));

  result::StepResult result = simulate_detail::assemble(npu, trace, whole.run, energy);
  result.inputs = simulate_detail::inputs_of(request, tree, trace);
  result.simulation.simulated_fraction = whole.simulated_fraction;
  result.simulation.error_estimate = whole.error_estimate;
  result.simulation.cpu_s = run.cpu_s;
  result.simulation.peak_rss_B = run.peak_rss_B;
  result.simulation.wall_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return result;
}

}  // namespace edgenpu
