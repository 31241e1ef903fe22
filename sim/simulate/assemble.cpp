#include "simulate/assemble.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/hash.h"
#include "base/rates.h"
#include "simulate/bounds.h"
#include "simulate/checks.h"
#include "simulate/operator_rows.h"
#include "workload/trace_file.h"

namespace edgenpu::simulate_detail {

using activity::Loss;
using activity::Snapshot;
using workload::Phase;
using workload::Trace;

namespace {

std::optional<double> rate(double tokens, double seconds) {
  return seconds > 0 ? std::optional(tokens / seconds) : std::nullopt;
}

result::Roofline roofline(const Trace& trace, const result::Losses& losses, double time,
                          const Bounds& bounds) {
  const double tokens = static_cast<double>(tokens_of(trace));
  result::Roofline r;
  r.memory_tokens_per_s = rate(tokens, bounds.memory_s);
  r.memory_less_refresh_tokens_per_s = rate(tokens, bounds.memory_less_refresh_s);
  const auto at = [&](Loss l) { return losses[static_cast<std::size_t>(l)]; };
  if (bounds.memory_s > 0)
    r.memory_less_refresh_and_row_misses_tokens_per_s =
        rate(tokens, at(Loss::transfer) + at(Loss::refresh) + at(Loss::row_miss));
  r.compute_tokens_per_s = tokens / bounds.compute_s;
  r.fraction_of_roof = std::max(bounds.memory_s, bounds.compute_s) / time;
  r.roof = bounds.memory_s >= bounds.compute_s ? "memory" : "compute";
  r.compute_roof_from_batch = batch_at_compute_roof(trace, bounds);
  return r;
}

void fill_metrics(result::StepResult& r, const Ground& ground, const Trace& trace, const Snapshot& run,
                  const energy::StepEnergy& energy) {
  const double tokens = static_cast<double>(tokens_of(trace));
  const double time = r.total_s;
  const double joules = energy.total().count();
  result::Metrics& m = r.metrics;
  m.tokens_per_s = tokens / time;
  m.ms_per_token = trace.phase == Phase::decode ? time * 1e3 : time * 1e3 / tokens;
  if (trace.phase == Phase::prefill) m.ttft_ms = time * 1e3;
  m.energy_J_per_token = joules / tokens;
  m.tokens_per_J = tokens / joules;
  m.power_W = joules / time;
  m.edp_J_s = joules / tokens * time;
  m.dram_read_B = run.total("dram_read_B");
  m.dram_write_B = run.total("dram_write_B");
  m.dram_transferred_B = run.total("dram_transferred_B");
  m.dram_refetched_B = run.total_if_declared("dram_refetched_B").value_or(0);
  if (!ground.memory.ideal)
    m.dram_utilisation =
        static_cast<double>(m.dram_read_B + m.dram_write_B) / (ground.memory.peak().count() * time);
  m.matrix_utilisation = ground.bounds.engines_s / time;
}

result::Losses losses_in_seconds(const activity::LossTimes& times, int channels) {
  result::Losses seconds{};
  for (std::size_t i = 0; i < seconds.size(); ++i)
    seconds[i] = static_cast<double>(times[i]) * 1e-15 / channels;
  return seconds;
}

void fill_activity(result::StepResult& r, const Snapshot& run) {
  for (const activity::EngineTimes& e : run.engines) {
    result::Engine engine{e.name, {}};
    for (std::size_t i = 0; i < e.times.size(); ++i) engine.seconds[i] = to_seconds(e.times[i]).count();
    r.engines.push_back(engine);
  }
  for (const activity::CounterInfo& c : run.counters)
    r.counts.push_back({c.name, c.unit, c.description, run.total(c.name)});
}

}  // namespace

Ground ground_of(const Device& device, const Trace& trace) {
  return {device.memory(), device.kv_page(), bounds_of(device, trace), device.notes()};
}

result::StepResult assemble(const Ground& ground, const Trace& trace, const Snapshot& run,
                            const energy::StepEnergy& energy) {
  result::StepResult r;
  r.total_s = to_seconds(run.time).count();
  r.losses_s = losses_in_seconds(run.total_losses(), run.channels);
  r.roofline = roofline(trace, r.losses_s, r.total_s, ground.bounds);
  fill_metrics(r, ground, trace, run, energy);
  fill_activity(r, run);
  for (const energy::ComponentEnergy& c : energy.components)
    r.energy_J.push_back({c.component, c.total().count()});
  r.power_scope = energy::to_string(energy.scope);
  r.operators = operator_rows(trace, run, energy, ground.units);
  r.checks = checks_of(ground, trace, run, energy);
  r.notes = run.notes;
  if (const std::string note = workload::stand_in_note(trace); !note.empty()) r.notes.push_back(note);
  r.notes.insert(r.notes.end(), ground.notes.begin(), ground.notes.end());
  if (trace.positions > 0 && trace.context + trace.tokens > trace.positions)
    r.notes.push_back(
        fmt::format("the step reaches position {}, the model was made for {} (max_position): its cost is "
                    "simulated, its answers are not vouched for",
                    trace.context + trace.tokens, trace.positions));
  r.notes.insert(r.notes.end(), energy.notes.begin(), energy.notes.end());
  r.simulation.events = run.events;
  return r;
}

result::Inputs inputs_of(const StepRequest& request, const config::Value& tree, const Trace& trace) {
  result::Inputs in;
  in.hardware = request.hardware;
  in.model = trace.model;
  in.quant = trace.quant;
  in.phase = trace.phase == Phase::decode ? "decode" : "prefill";
  in.kv_format = vocabulary::info(trace.kv_format).name;
  in.detail = request.burst_detail ? "burst" : "row";
  in.repeat = request.memo ? "memo" : "full";
  in.context = trace.context;
  in.prompt = trace.phase == Phase::prefill ? trace.tokens : 0;
  in.batch = trace.batch;
  in.trace_file = request.trace_file;
  in.resolved_hardware = std::make_shared<const config::Value>(tree);
  in.hardware_hash = content_hash(config::canonical_text(tree));
  in.trace_hash = content_hash(workload::write_trace(trace));
  return in;
}

}  // namespace edgenpu::simulate_detail
