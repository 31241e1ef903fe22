#include "simulate.h"

#include <chrono>
#include <memory>

#include "base/error.h"
#include "config/resolve.h"
#include "energy/price.h"
#include "hardware/worker.h"
#include "simulate/assemble.h"
#include "simulate/bounds.h"
#include "simulate/device.h"
#include "workload/generate.h"
#include "workload/model_source.h"
#include "workload/trace_file.h"
#include "workload/transform.h"

namespace edgenpu {

namespace {

using Clock = std::chrono::steady_clock;

// The hardware of a request. A description may name the runtime that a quantisation needs (`runtime_for:
// {q4f16: mlc}`); what the user overrides himself stays.
config::Value hardware_of(const StepRequest& r) {
  config::Value tree = config::load_hardware_tree(r.hardware, r.overrides);
  const config::Value* runtimes = tree.find("runtime_for");
  const config::Value* runtime = runtimes && r.trace_file.empty() ? runtimes->find(r.quant) : nullptr;
  for (const std::string& o : r.overrides)
    if (o.rfind("runtime.part=", 0) == 0) return tree;
  if (!runtime) return tree;
  std::vector<std::string> overrides = r.overrides;
  overrides.push_back("runtime.part=" + runtime->text());
  return config::load_hardware_tree(r.hardware, overrides);
}

// A step, in the order in which it happens: inputs, lowering, run (where the caller likes), energy, result.
class Step {
 public:
  Step(const StepRequest& request, const config::Value& tree)
      : request_(request),
        tree_(tree),
        device_(tree_),
        table_(energy::read_table(*tree_.find("energy"))),
        trace_(trace_of(request)) {}
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  StepFacts facts() const {
    const simulate_detail::Bounds bounds = simulate_detail::bounds_of(device_, trace_);
    const auto tokens = static_cast<double>(simulate_detail::tokens_of(trace_));
    return {device_.kind(), device_.tdp(), device_.memory().peak().count(),
            bounds.memory_s > 0 ? tokens / bounds.memory_s : 0};
  }

  // The result runs in a process that has not run SystemC, while this step lives.
  hardware::Simulation lower() {
    plan_ = device_.plan(trace_, request_.memo, request_.burst_detail);
    return [this] { return plan_->run(); };
  }

  result::StepResult finish(const hardware::WorkerResult& run) const {
    const simulate_detail::Extrapolated whole = plan_->extrapolate(run.snapshot);
    const energy::StepEnergy energy = energy::price(whole.run, table_, device_.sizes());
    result::StepResult result = simulate_detail::assemble(device_, trace_, whole.run, energy);
    result.inputs = simulate_detail::inputs_of(request_, tree_, trace_);
    result.simulation.simulated_fraction = whole.simulated_fraction;
    result.simulation.error_estimate = whole.error_estimate;
    result.simulation.cpu_s = run.cpu_s;
    result.simulation.peak_rss_B = run.peak_rss_B;
    result.simulation.wall_s = std::chrono::duration<double>(Clock::now() - started_).count();
    return result;
  }

 private:
  Clock::time_point started_ = Clock::now();
  const StepRequest request_;
  const config::Value tree_;
  const simulate_detail::Device device_;
  const energy::Table table_;
  const workload::Trace trace_;
  std::unique_ptr<simulate_detail::DevicePlan> plan_;
};

}  // namespace

workload::Trace trace_of(const StepRequest& r) {
  if (!r.trace_file.empty()) return workload::read_trace(r.trace_file);
  workload::StoredModel model = workload::open_model(r.model, r.quant, r.data_dir);
  if (!r.transform.empty()) model = workload::transform(std::move(model), r.transform, r.data_dir);
  const workload::Format kv = workload::kv_format_by_name(r.kv);
  if (r.phase == workload::Phase::prefill) return workload::generate_prefill(model, r.prompt, r.context, kv);
  return workload::generate_decode(model, r.context, r.batch, kv);
}

void check_hardware(const config::Value& tree) {
  const simulate_detail::Device device(tree);
  energy::read_table(*tree.find("energy"));
}

result::StepResult simulate(const StepRequest& request) {
  return simulate(request, hardware_of(request), Process::child);
}

result::StepResult simulate(const StepRequest& request, const config::Value& tree, Process process) {
  Step step(request, tree);
  const hardware::Simulation run = step.lower();
  return step.finish(process == Process::child ? hardware::run_in_worker(run) : hardware::run_here(run));
}

std::vector<StepOutcome> simulate_all(const std::vector<StepRequest>& requests, int jobs) {
  std::vector<std::unique_ptr<Step>> steps(requests.size());
  const auto runs =
      hardware::run_in_workers(requests.size(), jobs > 0 ? jobs : hardware::processors(), [&](std::size_t i) {
        steps[i] = std::make_unique<Step>(requests[i], hardware_of(requests[i]));
        return steps[i]->lower();
      });
  std::vector<StepOutcome> outcomes(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (steps[i]) outcomes[i].facts = steps[i]->facts();
    try {
      if (runs[i].error) std::rethrow_exception(runs[i].error);
      outcomes[i].result = steps[i]->finish(runs[i].result);
    } catch (const InfeasibleError& e) {
      outcomes[i].infeasible = e.what();
    }
  }
  return outcomes;
}

}  // namespace edgenpu
