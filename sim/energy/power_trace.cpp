#include "energy/power_trace.h"

#include <algorithm>

#include "base/error.h"
#include "base/rates.h"

namespace edgenpu::energy {

namespace {

constexpr Femtoseconds kMicrosecond(1'000'000'000), kLongest(kFemtosecondsPerSecond);

PowerTrace empty_like(const PowerTrace& trace, Femtoseconds window, Femtoseconds time) {
  if (window <= Femtoseconds(0)) throw InternalError("windows of no length");
  PowerTrace t{trace.scope, window, time, trace.names, {}};
  const auto n = static_cast<std::size_t>(std::max<std::int64_t>(1, ceil_div(time.count(), window.count())));
  t.energy.assign(trace.names.size(), std::vector<double>(n, 0));
  return t;
}

// Adds `energy` spread over [start, end) to the windows of `to`.
void spread(PowerTrace& to, std::size_t name, double energy, Femtoseconds start, Femtoseconds end) {
  if (end <= start) {
    to.energy[name].back() += energy;
    return;
  }
  const double length = static_cast<double>((end - start).count());
  for (Femtoseconds at = start; at < end;) {
    const auto w = std::min(static_cast<std::size_t>(at / to.window), to.size() - 1);
    const Femtoseconds border = w + 1 == to.size() ? end : std::min(end, to.start(w + 1));
    to.energy[name][w] += energy * (static_cast<double>((border - at).count()) / length);
    at = border;
  }
}

// Window by window, what the counts of the run's billable counters cost: [component][window].
std::vector<std::vector<double>> dynamic_energy(const activity::Windows& windows, const Prices& prices,
                                                Scope scope) {
  std::vector<std::vector<double>> energy(prices.components.size(), std::vector<double>(windows.size(), 0));
  for (const Prices::Item& item : prices.items) {
    if (prices.components[item.component].scope > scope) continue;
    const std::vector<std::int64_t>* counts = windows.find(item.action->name);
    if (!counts) continue;
    for (std::size_t w = 0; w < counts->size(); ++w)
      energy[item.component][w] += item.per_count.count() * static_cast<double>((*counts)[w]);
  }
  return energy;
}

void add_clock_tree(PowerTrace& trace, const std::vector<std::vector<double>>& dynamic,
                    const Prices& prices) {
  trace.names.push_back("clock_tree");
  trace.energy.emplace_back(trace.size(), 0.0);
  const double factor = prices.clock_share / (1 - prices.clock_share);
  for (const std::size_t c : prices.clocked)
    for (std::size_t w = 0; w < trace.energy.back().size(); ++w)
      trace.energy.back()[w] += dynamic[c][w] * factor;
}

}  // namespace

Femtoseconds PowerTrace::length(std::size_t w) const {
  return std::min(window, time - start(w));
}

Joules PowerTrace::total(std::size_t name) const {
  double sum = 0;
  for (const double e : energy[name]) sum += e;
  return Joules(sum);
}

Joules PowerTrace::total() const {
  Joules sum{0};
  for (std::size_t i = 0; i < names.size(); ++i) sum += total(i);
  return sum;
}

Watts PowerTrace::power(std::size_t name, std::size_t w) const {
  return Joules(energy[name][w]) / to_seconds(length(w));
}

Watts PowerTrace::power(std::size_t w) const {
  double sum = 0;
  for (const auto& e : energy) sum += e[w];
  return Joules(sum) / to_seconds(length(w));
}

PowerTrace power_over_time(const activity::Snapshot& run, const Prices& prices, Scope scope) {
  if (!run.windows.recorded()) throw InternalError("power over time was asked for, but nothing was recorded");
  PowerTrace trace{scope, run.windows.window, run.time, {}, {}};
  const auto dynamic = dynamic_energy(run.windows, prices, scope);
  const std::size_t n = run.windows.size();
  std::vector<double> loss(n, 0);
  const double loss_factor = 1 / prices.regulator_efficiency - 1;
  for (std::size_t c = 0; c < prices.components.size(); ++c) {
    const Prices::Payer& payer = prices.components[c];
    if (payer.scope > scope) continue;
    trace.names.push_back(payer.name);
    trace.energy.push_back(dynamic[c]);
    for (std::size_t w = 0; w < n; ++w) {
      trace.energy.back()[w] += (payer.static_power * to_seconds(trace.length(w))).count();
      if (payer.scope <= Scope::soc_dram) loss[w] += trace.energy.back()[w] * loss_factor;
    }
  }
  if (prices.has_clock_tree) {
    add_clock_tree(trace, dynamic, prices);
    for (std::size_t w = 0; w < n; ++w) loss[w] += trace.energy.back()[w] * loss_factor;
  }
  if (prices.has_regulator && scope >= Scope::soc_dram) {
    trace.names.push_back("regulator_loss");
    trace.energy.push_back(loss);
  }
  return trace;
}

PowerTrace resample(const PowerTrace& trace, Femtoseconds window) {
  return repeat(trace, 1, window);
}

PowerTrace repeat(const PowerTrace& trace, std::int64_t times, Femtoseconds window) {
  PowerTrace t = empty_like(trace, window, trace.time * times);
  for (std::size_t name = 0; name < trace.names.size(); ++name) {
    const double whole = trace.total(name).count();
    for (std::int64_t r = 0; r < times; ++r) {
      const Femtoseconds begin = trace.time * r, end = begin + trace.time;
      // A short run falls into one window, thousands of times.
      if (const auto in = begin / window; end <= window * (in + 1)) {
        t.energy[name][static_cast<std::size_t>(in)] += whole;
        continue;
      }
      for (std::size_t w = 0; w < trace.size(); ++w)
        spread(t, name, trace.energy[name][w], begin + trace.start(w),
               begin + trace.start(w) + trace.length(w));
    }
  }
  return t;
}

std::vector<Peak> peaks(const PowerTrace& trace) {
  std::vector<Peak> found;
  const Watts mean = trace.total() / to_seconds(trace.time);
  Femtoseconds window = kMicrosecond;
  while (window < trace.window) window = window * 10;
  for (; window <= kLongest; window = window * 10) {
    // One whole window alone would not show the rest of the run.
    Peak p{window, Watts(0), mean, 0, window * 2 > trace.time};
    const std::int64_t times = p.repeated ? window * 2 / trace.time + 2 : 1;
    const PowerTrace t = window == trace.window ? trace : repeat(trace, times, window);
    const std::size_t whole = t.length(t.size() - 1) < window && t.size() > 1 ? t.size() - 1 : t.size();
    for (std::size_t w = 0; w < whole; ++w) {
      if (t.power(w) <= p.peak) continue;
      p.peak = t.power(w);
      p.at_s = to_seconds(t.start(w)).count();
    }
    found.push_back(p);
  }
  return found;
}

}  // namespace edgenpu::energy
