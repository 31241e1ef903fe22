#include "lowering/kernel_memo.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <numeric>

#include "activity/settle.h"
#include "base/rates.h"

namespace edgenpu::lowering {

namespace {

using activity::Snapshot;
using activity::sum_of;

struct Layer {
  std::size_t first = 0, end = 0;  // kernels
};

std::string signature(const Kernel& kernel) {
  std::string text = fmt::format("host {};", kernel.host.count());
  for (const KernelPart& p : kernel.parts)
    text +=
        fmt::format("{} {} {} {} {} {} {} {} {};", p.read.bytes.count(), p.read.count, p.read.stride.count(),
                    p.write.bytes.count(), p.write.count, p.rows, p.grain, p.cycles.count(), p.macs.count());
  return text;
}

std::map<std::string, std::vector<Layer>> layers_by_kind(const KernelProgram& program) {
  std::map<std::string, std::vector<Layer>> kinds;
  const auto& kernels = program.kernels;
  for (std::size_t first = 0; first < kernels.size();) {
    std::size_t end = first;
    std::string kind;
    for (; end < kernels.size() && kernels[end].layer == kernels[first].layer; ++end)
      kind += signature(kernels[end]) + "|";
    if (kernels[first].layer >= 0) kinds[kind].push_back({first, end});
    first = end;
  }
  return kinds;
}

std::vector<int> operators_of(const KernelProgram& program, const Layer& layer) {
  std::vector<int> ops;
  for (std::size_t k = layer.first; k < layer.end; ++k)
    for (const KernelPart& p : program.kernels[k].parts) ops.push_back(activity::index(p.op));
  return ops;
}

Wide time_of_operators(const Snapshot& s, std::vector<int> ops) {
  std::sort(ops.begin(), ops.end());
  ops.erase(std::unique(ops.begin(), ops.end()), ops.end());
  Wide sum = 0;
  for (const int op : ops) sum += sum_of(s.losses[static_cast<std::size_t>(op)]);
  return sum;
}

constexpr const char* kCoreCycles = "core_cycles";

// Cycles of cores are counted by time: what the stretches stand for is added at the same cycles a second of
// the ledger, since the device is at an operator some requests earlier than memory.
void add_core_cycles(Snapshot& s, const Snapshot& simulated, const KernelMemo& memo) {
  const auto cycles = static_cast<double>(simulated.total(kCoreCycles));
  const double per_time = cycles / (static_cast<double>(simulated.time.count()) * simulated.channels);
  for (std::size_t c = 0; c < s.counters.size(); ++c) {
    if (s.counters[c].name != kCoreCycles) continue;
    for (std::size_t i = 0; i < memo.pieces.size(); ++i) {
      const Wide more = sum_of(simulated.losses[memo.source.size() + i]) * (memo.pieces[i].periods - 1);
      std::int64_t& value = s.values[c][static_cast<std::size_t>(memo.pieces[i].op)];
      value = checked_add(value, truncated(std::round(per_time * static_cast<double>(more))));
    }
  }
}

// Stretches added to their operators; operators of the whole program are left.
Snapshot folded(const Snapshot& simulated, const KernelMemo& memo) {
  Snapshot s = simulated;
  const std::size_t n = memo.source.size();
  for (std::size_t i = 0; i < memo.pieces.size(); ++i) {
    const auto op = static_cast<std::size_t>(memo.pieces[i].op);
    const std::int64_t k = memo.pieces[i].periods;
    for (std::size_t c = 0; c < s.values.size(); ++c) {
      const std::int64_t times = s.counters[c].name == kCoreCycles ? 1 : k;
      s.values[c][op] = narrow(s.values[c][op] + static_cast<Wide>(times) * s.values[c][n + i]);
    }
    for (std::size_t l = 0; l < activity::kLosses; ++l) s.losses[op][l] += k * s.losses[n + i][l];
    for (activity::EngineTimes& e : s.engines)
      for (std::size_t b = 0; b < activity::kBuckets; ++b)
        e.by_operator[op][b] += k * e.by_operator[n + i][b];
  }
  add_core_cycles(s, simulated, memo);
  for (auto& values : s.values) values.resize(n);
  s.losses.resize(n);
  for (activity::EngineTimes& e : s.engines) e.by_operator.resize(n);
  return s;
}

}  // namespace

KernelMemo whole(const KernelProgram& program) {
  KernelMemo memo;
  memo.program = program;
  memo.source.resize(static_cast<std::size_t>(program.operators));
  std::iota(memo.source.begin(), memo.source.end(), 0);
  return memo;
}

KernelMemo memoise(const KernelProgram& program, int cores, const KernelCutLimits& limits) {
  KernelMemo memo = whole(program);
  std::vector<bool> kept(program.kernels.size(), true);
  for (const auto& [kind, layers] : layers_by_kind(program)) {
    memo.layers += static_cast<int>(layers.size());
    const std::size_t middle = layers.size() / 2;
    memo.simulated_layers += layers.size() > 1 ? 2 : 1;
    if (layers.size() < 2) continue;
    const std::vector<int> first = operators_of(program, layers[0]),
                           second = operators_of(program, layers[middle]);
    memo.pairs.emplace_back(first, second);
    for (std::size_t i = 1; i < layers.size(); ++i) {
      if (i == middle) continue;
      const std::vector<int> ops = operators_of(program, layers[i]);
      const std::vector<int>& source = i % 2 ? second : first;
      for (std::size_t k = 0; k < ops.size(); ++k) memo.source[static_cast<std::size_t>(ops[k])] = source[k];
      std::fill(kept.begin() + static_cast<std::ptrdiff_t>(layers[i].first),
                kept.begin() + static_cast<std::ptrdiff_t>(layers[i].end), false);
    }
  }
  memo.program.kernels.clear();
  for (std::size_t k = 0; k < program.kernels.size(); ++k)
    if (kept[k]) memo.program.kernels.push_back(program.kernels[k]);
  if (limits.stretch > Bytes(0)) memo.pieces = cut(memo.program, cores, limits);
  return memo;
}

Snapshot expand(const Snapshot& simulated, const KernelMemo& memo) {
  const Snapshot once = folded(simulated, memo);
  Snapshot s = once;
  for (std::size_t op = 0; op < memo.source.size(); ++op) {
    const auto from = static_cast<std::size_t>(memo.source[op]);
    s.losses[op] = once.losses[from];
    for (std::size_t c = 0; c < s.values.size(); ++c) s.values[c][op] = once.values[c][from];
    for (std::size_t e = 0; e < s.engines.size(); ++e)
      s.engines[e].by_operator[op] = once.engines[e].by_operator[from];
  }
  activity::settle_time(s);
  for (activity::EngineTimes& e : s.engines) activity::settle(e, s.time);
  return s;
}

double error_estimate(const Snapshot& simulated, const Snapshot& whole, const KernelMemo& memo) {
  const Snapshot once = folded(simulated, memo);
  double worst = 0;
  for (const auto& [a, b] : memo.pairs) {
    const auto ta = static_cast<double>(time_of_operators(once, a));
    const auto tb = static_cast<double>(time_of_operators(once, b));
    worst = std::max(worst, std::abs(ta - tb) / std::max(ta, tb));
  }
  const double extrapolated =
      1 - static_cast<double>(simulated.time.count()) / static_cast<double>(whole.time.count());
  return worst * std::max(0.0, extrapolated);
}

}  // namespace edgenpu::lowering
