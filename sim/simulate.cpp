#include "simulate.h"

#include <chrono>
#include <memory>

#include "base/error.h"
#include "config/resolve.h"
#include "energy/price.h"
#include "energy/split.h"
#include "hardware/worker.h"
#include "process/pool.h"
#include "simulate/assemble.h"
#include "simulate/bounds.h"
#include "simulate/description.h"
#include "simulate/device.h"
#include "simulate/power.h"
#include "simulate/toolkit.h"
#include "workload/generate.h"
#include "workload/model_source.h"
#include "workload/trace_file.h"
#include "workload/transform.h"

namespace edgenpu {

// A description may name the runtime that a quantisation needs (`runtime_for:
// {q4f16: mlc}`); what the user overrides himself stays.
config::Value hardware_of(const StepRequest& r) {
  const std::string quant = r.trace_file.empty() ? workload::stated_quant(r.model, r.quant) : "";
  return config::load_hardware_tree(r.hardware, r.overrides, quant, config::shipped_hardware(r.data_dir));
}

namespace {

using Clock = std::chrono::steady_clock;

// A step, in the order in which it happens: inputs, lowering, run (where the caller likes), energy, result.
class Step {
 public:
  Step(const StepRequest& request, const config::Value& tree)
      : request_(simulate_detail::with_default_quant(request, tree)),
        tree_(tree),
        device_(tree_),
        table_(energy::read_table(*tree_.find("energy"))),
        trace_(device_.assigned(trace_of(request_), table_)) {
    simulate_detail::check_description(device_, table_, tree_);
    simulate_detail::check_toolkit(trace_, tree_);
  }
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  StepFacts facts() const {
    const simulate_detail::Bounds bounds = simulate_detail::bounds_of(device_, trace_);
    const auto tokens = static_cast<double>(simulate_detail::tokens_of(trace_));
    return {device_.kind(), device_.tdp(), device_.memory().peak().count(),
            bounds.memory_s > 0 ? tokens / bounds.memory_s : 0};
  }

  void record(const activity::RecordOptions& record) { record_ = record; }

  // The result runs in a process that has not run SystemC, while this step lives.
  hardware::Simulation lower() {
    plan_ = device_.plan(trace_, request_.memo, request_.burst_detail, record_);
    return [this] { return plan_->run(); };
  }

  // The peak of cores is a roof that the user states, and kernels that go through it are his as well.
  void refuse_low_peak(const result::StepResult& result) const {
    const char* path = kind_of_cores();
    const config::Value* peak = path ? config::find_path(tree_, path) : nullptr;
    for (const result::Check& c : result.checks) {
      if (c.ok || c.name != "time_at_least_compute_bound" || !peak) continue;
      Position at = peak->position();
      for (const config::Value::Entry& e : peak->entries())
        if (e.value.position().source.rfind("--set ", 0) == 0) at = e.value.position();
      throw InputError(at, std::string("'") + path +
                               "': the runtime's kernels multiply faster than this peak allows (" + c.detail +
                               "); allowed: at least what instruction counts and issue width give");
    }
  }

  const char* kind_of_cores() const {
    return tree_.find("core") ? "core.peak" : tree_.find("multiprocessor") ? "multiprocessor.peak" : nullptr;
  }

  result::StepResult finish(const hardware::WorkerResult& run) const {
    const simulate_detail::Extrapolated whole = plan_->extrapolate(run.snapshot);
    const energy::Prices prices = energy::prices_for(table_, device_.sizes());
    const energy::StepEnergy energy = energy::price(whole.run, prices);
    result::StepResult result =
        simulate_detail::assemble(simulate_detail::ground_of(device_, trace_), trace_, whole.run, energy);
    const energy::Split split = energy::split(energy, prices);
    for (std::size_t i = 0; i < split.size(); ++i)
      result.energy_split.emplace_back(energy::class_names()[i], split[i]);
    const std::vector<energy::Block> blocks = energy::blocks_of(table_, device_.sizes(), energy::Scope::die);
    if (!blocks.empty()) result.metrics.area_mm2 = energy::die_area(blocks).value * 1e6;
    for (const std::string& note : simulate_detail::description_notes(device_, table_, tree_))
      result.notes.push_back(note);
    refuse_low_peak(result);
    result.inputs = simulate_detail::inputs_of(request_, tree_, trace_);
    result.simulation.simulated_fraction = whole.simulated_fraction;
    result.simulation.error_estimate = whole.error_estimate;
    result.simulation.cpu_s = run.cpu_s;
    result.simulation.peak_rss_B = run.peak_rss_B;
    result.simulation.wall_s = std::chrono::duration<double>(Clock::now() - started_).count();
    return result;
  }

  StepPower finish_power(const hardware::WorkerResult& run, energy::Scope scope) const {
    StepPower p;
    p.result = finish(run);
    p.tree = tree_;
    p.clock = device_.clock();
    p.table = table_;
    p.sizes = device_.sizes();
    p.prices = energy::prices_for(table_, p.sizes);
    p.run = run.snapshot;
    p.energy = energy::price(p.run, p.prices, scope);
    p.blocks = energy::blocks_of(table_, p.sizes, scope);
    p.components = energy::power_over_time(p.run, p.prices, scope);
    if (!p.blocks.empty()) p.by_block = energy::by_block(p.components, p.blocks, table_);
    return p;
  }

  StepCounts counts(const hardware::WorkerResult& run) const {
    return {plan_->extrapolate(run.snapshot).run, device_.sizes(),
            static_cast<double>(simulate_detail::tokens_of(trace_))};
  }

 private:
  Clock::time_point started_ = Clock::now();
  const StepRequest request_;
  const config::Value tree_;
  const simulate_detail::Device device_;
  const energy::Table table_;
  const workload::Trace trace_;
  activity::RecordOptions record_;
  std::unique_ptr<simulate_detail::DevicePlan> plan_;
};

}  // namespace

workload::Trace trace_of(const StepRequest& r) {
  if (!r.trace_file.empty()) return workload::read_trace(r.trace_file);
  workload::StoredModel model = workload::open_model(r.model, r.quant, r.data_dir);
  if (!r.transform.empty()) model = workload::transform(std::move(model), r.transform, r.data_dir);
  const vocabulary::Format kv = workload::kv_format_by_name(r.kv);
  if (r.phase == workload::Phase::prefill) return workload::generate_prefill(model, r.prompt, r.context, kv);
  return workload::generate_decode(model, r.context, r.batch, kv);
}

void check_hardware(const config::Value& tree) {
  const simulate_detail::Device device(tree);
  simulate_detail::check_description(device, energy::read_table(*tree.find("energy")), tree);
}

result::Table plan_of(const StepRequest& request) {
  const config::Value tree = hardware_of(request);
  const simulate_detail::Device device(tree);
  const energy::Table table = energy::read_table(*tree.find("energy"));
  simulate_detail::check_description(device, table, tree);
  const workload::Trace trace = trace_of(simulate_detail::with_default_quant(request, tree));
  simulate_detail::check_toolkit(trace, tree);
  return device.plan_table(device.assigned(trace, table));
}

result::StepResult simulate(const StepRequest& request) {
  return simulate(request, hardware_of(request), Process::child);
}

result::StepResult simulate(const StepRequest& request, const config::Value& tree, Process process) {
  Step step(request, tree);
  const hardware::Simulation run = step.lower();
  return step.finish(process == Process::child ? hardware::run_in_worker(run) : hardware::run_here(run));
}

StepPower simulate_power(const StepRequest& request, const activity::RecordOptions& record,
                         energy::Scope scope) {
  return simulate_power(request, hardware_of(request), record, scope);
}

StepPower simulate_power(const StepRequest& request, const config::Value& tree,
                         const activity::RecordOptions& record, energy::Scope scope) {
  StepRequest whole = request;
  whole.memo = false;
  Step step(whole, tree);
  step.record(record);
  return step.finish_power(hardware::run_in_worker(step.lower()), scope);
}

std::vector<std::string> simulate_dram_commands(const StepRequest& request, std::int64_t per_channel) {
  StepRequest whole = request;
  whole.memo = false;
  whole.burst_detail = true;
  Step step(whole, hardware_of(whole));
  activity::RecordOptions record;
  record.dram_commands = per_channel;
  step.record(record);
  return hardware::run_in_worker(step.lower()).snapshot.dram_commands;
}

namespace {

using Runs = std::vector<Outcome<hardware::WorkerResult>>;

// What does not fit is an outcome, as is refused input if `refused`; what is ours is thrown.
template <class F>
auto outcome_of(const Outcome<hardware::WorkerResult>& run, bool refused, const F& finish) {
  auto outcome = attempt([&] { return finish(run.value()); });
  if (outcome) return outcome;
  const WhyNot& why = run ? outcome.why() : run.why();
  const bool does_not_fit = why.kind == Failure::infeasible || why.kind == Failure::out_of_memory;
  if (!does_not_fit && !(refused && why.kind == Failure::refused)) throw_error(why);
  return decltype(outcome)(why);
}

}  // namespace

std::vector<Outcome<StepCounts>> simulate_counts(const StepRequest& request,
                                                 const std::vector<config::Value>& trees, int jobs) {
  std::vector<std::unique_ptr<Step>> steps(trees.size());
  const Runs runs =
      hardware::run_in_workers(trees.size(), jobs > 0 ? jobs : process::processors(), [&](std::size_t i) {
        steps[i] = std::make_unique<Step>(request, trees[i]);
        return steps[i]->lower();
      });
  std::vector<Outcome<StepCounts>> outcomes;
  for (std::size_t i = 0; i < trees.size(); ++i)
    outcomes.push_back(outcome_of(runs[i], true, [&](const auto& run) { return steps[i]->counts(run); }));
  return outcomes;
}

std::vector<StepOutcome> simulate_all(const std::vector<StepRequest>& requests, int jobs) {
  std::vector<std::unique_ptr<Step>> steps(requests.size());
  const Runs runs =
      hardware::run_in_workers(requests.size(), jobs > 0 ? jobs : process::processors(), [&](std::size_t i) {
        steps[i] = std::make_unique<Step>(requests[i], hardware_of(requests[i]));
        return steps[i]->lower();
      });
  std::vector<StepOutcome> outcomes(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (steps[i]) outcomes[i].facts = steps[i]->facts();
    outcomes[i].result = outcome_of(runs[i], false, [&](const auto& run) { return steps[i]->finish(run); });
  }
  return outcomes;
}

}  // namespace edgenpu
