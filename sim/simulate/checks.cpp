#include "simulate/checks.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/rates.h"
#include "lowering/memory_map.h"
#include "timing/background.h"

namespace edgenpu::simulate_detail {

namespace {

using result::Check;

Check equal(const std::string& name, std::int64_t found, std::int64_t expected, const std::string& unit) {
  return {name, found == expected, fmt::format("{} {} of {}", found, unit, expected)};
}

// Bytes found = what the trace needs + what the DMA counted as asked for beyond it.
Check sum_of(const std::string& name, std::int64_t found, std::int64_t needed, std::int64_t beyond,
             const char* word) {
  return {name, found == needed + beyond,
          fmt::format("{} B of {} needed + {} {}", found, needed, beyond, word)};
}

Check at_least(const std::string& name, double time, double bound) {
  return {name, time >= bound, fmt::format("{:.6g} s, bound {:.6g} s", time, bound)};
}

Check buckets_sum(const activity::Snapshot& run) {
  for (const activity::EngineTimes& e : run.engines) {
    Femtoseconds sum{0};
    for (const Femtoseconds t : e.times) {
      if (t < Femtoseconds(0)) return {"buckets_sum_to_time", false, e.name + " has a negative bucket"};
      sum += t;
    }
    if (sum != run.time)
      return {"buckets_sum_to_time", false,
              fmt::format("{}: {} fs of {}", e.name, sum.count(), run.time.count())};
  }
  return {"buckets_sum_to_time", true,
          fmt::format("{} engines, {} fs each", run.engines.size(), run.time.count())};
}

Check no_negative_loss(const activity::Snapshot& run) {
  for (const activity::LossTimes& op : run.losses)
    for (const Wide t : op)
      if (t < 0) return {"no_negative_loss", false, "an operator has a negative loss"};
  return {"no_negative_loss", true, fmt::format("{} operators", run.losses.size())};
}

Check losses_sum(const activity::Snapshot& run) {
  const Wide sum = activity::sum_of(run.total_losses());
  const Wide time = static_cast<Wide>(run.time.count()) * run.channels;
  return {"losses_sum_to_time", sum == time, fmt::format("{} channel-fs of {}", sum, time)};
}

Check energy_sum(const activity::Snapshot& run, const energy::StepEnergy& e) {
  // Components by their parts against power integrated over the step: static parts must be power x time.
  double sum = 0;
  bool finite = true;
  for (const energy::ComponentEnergy& c : e.components) {
    sum += c.dynamic.count() + c.fixed.count();
    finite = finite && std::isfinite(sum) && c.dynamic.count() >= 0 && c.fixed.count() >= 0;
  }
  const bool ok = finite && std::abs(sum - e.total().count()) <= 1e-9 * sum;
  return {"energy_sums_to_total", ok, fmt::format("{:.6g} J in {:.6g} s", sum, to_seconds(run.time).count())};
}

Check fit(const Ground& ground, const workload::Trace& trace) {
  const Bytes needed =
      trace.resident_weights + lowering::allocated_kv(trace, ground.kv_page) + ground.memory.reserve;
  return {"model_fits_memory", needed <= ground.memory.capacity,
          fmt::format("{} B of {} B", needed.count(), ground.memory.capacity.count())};
}

}  // namespace

// Of what was asked for until the end of the step, all but what a line buffer holds (timing/background.h).
result::Check background_delivered(const config::Memory& memory, const activity::Snapshot& run) {
  const Bytes asked = timing::background_asked(memory, run.time),
              late = timing::background_asked(memory, timing::kBackgroundLag);
  const std::int64_t found = run.total(timing::kBackgroundBytes);
  return {"background_delivered", found <= asked.count() && found + late.count() >= asked.count(),
          fmt::format("{} B of {} asked for; {} may be on their way", found, asked.count(), late.count())};
}

std::vector<Check> checks_of(const Ground& ground, const workload::Trace& trace,
                             const activity::Snapshot& run, const energy::StepEnergy& energy) {
  const Bounds& bounds = ground.bounds;
  const double time = to_seconds(run.time).count();
  const std::int64_t requested = run.total("dram_read_B") + run.total("dram_write_B");
  // Only engines with a scratchpad ask again, spill, or read lists.
  const auto beyond = [&](const char* counter) { return run.total_if_declared(counter).value_or(0); };
  // An ideal memory has no bursts.
  const bool covered = ground.memory.ideal || run.total("dram_transferred_B") >= requested;
  std::vector<Check> checks = {
      sum_of("requested_read_bytes", run.total("dram_read_B"), workload::requested_read(trace).count(),
             beyond("dram_refetched_B") + beyond("dma_list_B") + ground.handed_read.count(),
             "read again or as lists"),
      sum_of("requested_write_bytes", run.total("dram_write_B"), workload::requested_write(trace).count(),
             beyond("dram_spilled_B") + ground.handed_written.count(), "spilled"),
      {"transferred_covers_requested", covered,
       fmt::format("{} B transferred, {} B requested", run.total("dram_transferred_B"), requested)},
      equal("macs_done", run.total("macs"), workload::total_macs(trace).count(), "MACs"),
      at_least("time_at_least_memory_bound", time, bounds.memory_s),
      at_least("time_at_least_compute_bound", time, bounds.compute_s),
      losses_sum(run),
      no_negative_loss(run),
      buckets_sum(run),
      energy_sum(run, energy),
      {"every_action_priced_and_counted", energy.coverage.ok(), energy.coverage.detail()},
      fit(ground, trace),
  };
  if (ground.alone && timing::has_background(ground.memory))
    checks.push_back(background_delivered(ground.memory, run));
  return checks;
}

}  // namespace edgenpu::simulate_detail
