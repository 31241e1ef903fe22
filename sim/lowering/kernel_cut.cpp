#include "lowering/kernel_cut.h"

#include <algorithm>
#include <numeric>

#include "base/rates.h"

namespace edgenpu::lowering {

namespace {

constexpr std::int64_t kLine = 64;  // bytes, also a DRAM burst or two

struct Cut {
  std::int64_t first = 0, stretch = 0, last = 0, periods = 0;  // rows
};

// periods = 0: too short, or not a plain stream.
Cut cut_of(const KernelPart& p, int cores, const KernelCutLimits& limits) {
  if (p.read.count != 1 || p.write.count != 0 || p.rows < 1) return {};
  const std::int64_t bytes = p.read_bytes().count();
  if (bytes % p.rows != 0 || p.macs.count() % p.rows != 0) return {};
  const std::int64_t row = bytes / p.rows;
  // Few grains: the cores share them out evenly, which a cut would change.
  if (p.rows < 4 * cores * p.grain) return {};
  // Whole lines, and as many grains for one core as for the next: a core that computes takes its grains at a
  // steady pace, so a stretch with a part of a round would last a grain of each core too long or too short.
  const std::int64_t round = std::lcm(p.grain * cores, kLine / std::gcd(kLine, row));
  const auto rows = [&](Bytes least) { return ceil_div(least.count(), row * round) * round; };
  Cut c;
  c.first = rows(limits.first);
  c.stretch = rows(limits.stretch);
  const std::int64_t rest = p.rows - c.first - rows(limits.last);
  c.periods = rest / c.stretch;
  if (c.periods < 2) return {};
  c.last = p.rows - c.first - c.periods * c.stretch;
  return c;
}

KernelPart rows_of(const KernelPart& whole, std::int64_t first, std::int64_t rows) {
  KernelPart p = whole;
  const std::int64_t row = whole.read_bytes().count() / whole.rows;
  p.rows = rows;
  p.read.address += first * row;
  p.read.bytes = Bytes(rows * row);
  p.macs = Macs(whole.macs.count() / whole.rows * rows);
  const auto cycles_to = [&](std::int64_t r) {
    return static_cast<std::int64_t>(static_cast<__int128>(whole.cycles.count()) * r / whole.rows);
  };
  p.cycles = Cycles(cycles_to(first + rows) - cycles_to(first));
  return p;
}

}  // namespace

std::vector<KernelPiece> cut(KernelProgram& program, int cores, const KernelCutLimits& limits) {
  std::vector<KernelPiece> pieces;
  for (Kernel& kernel : program.kernels) {
    std::vector<KernelPart> parts;
    for (const KernelPart& p : kernel.parts) {
      const Cut c = cut_of(p, cores, limits);
      if (c.periods == 0) {
        parts.push_back(p);
        continue;
      }
      parts.push_back(rows_of(p, 0, c.first));
      KernelPart stretch = rows_of(p, c.first, c.stretch);
      stretch.op = activity::OperatorId(program.operators + static_cast<int>(pieces.size()));
      parts.push_back(stretch);
      parts.push_back(rows_of(p, p.rows - c.last, c.last));
      pieces.push_back({activity::index(p.op), c.periods});
      program.operator_names.push_back(
          program.operator_names[static_cast<std::size_t>(activity::index(p.op))]);
    }
    kernel.parts = std::move(parts);
  }
  program.operators += static_cast<int>(pieces.size());
  return pieces;
}

}  // namespace edgenpu::lowering
