#include "lowering/kernel_memo.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <numeric>

#include "base/rates.h"

namespace edgenpu::lowering {

namespace {

using activity::LossTimes;
using activity::Snapshot;

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

std::int64_t time_of_operators(const Snapshot& s, std::vector<int> ops) {
  std::sort(ops.begin(), ops.end());
  ops.erase(std::unique(ops.begin(), ops.end()), ops.end());
  std::int64_t sum = 0;
  for (const int op : ops)
    for (const std::int64_t t : s.losses[static_cast<std::size_t>(op)]) sum += t;
  return sum;
}

// Buckets in proportion; what rounding leaves is idle.
void stretch(activity::EngineTimes& engine, Femtoseconds from, Femtoseconds to) {
  Femtoseconds sum{0};
  for (Femtoseconds& t : engine.times) {
    t = Femtoseconds(static_cast<std::int64_t>(static_cast<__int128>(t.count()) * to.count() / from.count()));
    sum += t;
  }
  engine.times[static_cast<std::size_t>(activity::Bucket::idle)] += to - sum;
}

}  // namespace

KernelMemo whole(const KernelProgram& program) {
  KernelMemo memo;
  memo.program = program;
  memo.source.resize(static_cast<std::size_t>(program.operators));
  std::iota(memo.source.begin(), memo.source.end(), 0);
  return memo;
}

KernelMemo memoise(const KernelProgram& program) {
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
  return memo;
}

Snapshot expand(const Snapshot& simulated, const KernelMemo& memo) {
  Snapshot s = simulated;
  for (std::size_t op = 0; op < memo.source.size(); ++op) {
    const auto from = static_cast<std::size_t>(memo.source[op]);
    s.losses[op] = simulated.losses[from];
    for (std::size_t c = 0; c < s.values.size(); ++c) s.values[c][op] = simulated.values[c][from];
  }
  std::int64_t sum = 0;
  for (const std::int64_t t : s.total_losses()) sum += t;
  s.time = Femtoseconds(ceil_div(sum, s.channels));
  s.losses.back()[static_cast<std::size_t>(activity::Loss::tail)] += s.time.count() * s.channels - sum;
  for (activity::EngineTimes& e : s.engines) stretch(e, simulated.time, s.time);
  return s;
}

double error_estimate(const Snapshot& simulated, const Snapshot& whole, const KernelMemo& memo) {
  double worst = 0;
  for (const auto& [a, b] : memo.pairs) {
    const auto ta = static_cast<double>(time_of_operators(simulated, a));
    const auto tb = static_cast<double>(time_of_operators(simulated, b));
    worst = std::max(worst, std::abs(ta - tb) / std::max(ta, tb));
  }
  const double extrapolated =
      1 - static_cast<double>(simulated.time.count()) / static_cast<double>(whole.time.count());
  return worst * std::max(0.0, extrapolated);
}

}  // namespace edgenpu::lowering
