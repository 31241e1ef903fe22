#include "simulate/memo.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "activity/settle.h"
#include "base/rates.h"
#include "lowering/lower.h"

namespace edgenpu::simulate_detail {

using activity::BucketTimes;
using activity::EngineTimes;
using activity::Loss;
using activity::Snapshot;
using activity::sum_of;
using lowering::CutProgram;
using lowering::Piece;
using workload::Operator;

namespace {

// Long enough for six all-bank refreshes, so that one more or less in the window is a small error.
constexpr int kRefreshes = 6;
constexpr Bytes kLeastMeasured(2 << 20);

std::size_t at(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

lowering::CutLimits limits_of(const config::Npu& npu, const lowering::Program& program) {
  lowering::CutLimits limits;
  limits.warm_up = program.scratchpad_ring;
  limits.measured = kLeastMeasured;
  limits.queue_depth = npu.queue_depth;
  if (npu.memory.ideal) return limits;
  const double interval = npu.memory.t.tREFI.value() / static_cast<double>(npu.memory.clock.count());
  const std::int64_t bytes = truncated(kRefreshes * interval * npu.memory.peak().count());
  limits.measured = std::max(limits.measured, Bytes(bytes));
  return limits;
}

// Wishes by number: operators with different ones are not alike.
std::vector<int> labels_of(const lowering::Wishes& wishes, const config::Npu& npu) {
  std::vector<int> labels;
  for (const config::PlanOverride* wish : wishes)
    labels.push_back(wish ? static_cast<int>(wish - npu.plan.data()) : -1);
  return labels;
}

lowering::CutProgram plan(const workload::ShortTrace& trace, const config::Npu& npu,
                          const lowering::Wishes& wishes, bool memo) {
  lowering::Wishes mine;
  if (!wishes.empty())
    for (const int op : trace.copy_of) mine.push_back(wishes[at(op)]);
  const lowering::Program program = lowering::lower(trace.trace, npu, mine);
  return memo ? lowering::cut(program, limits_of(npu, program)) : lowering::uncut(program);
}

// value x numerator / denominator, to the nearest; exact in 128 bits.
Wide scaled(Wide value, std::int64_t numerator, std::int64_t denominator) {
  return (checked_mul<Wide>(value, numerator) + denominator / 2) / denominator;
}

using Halves = std::vector<std::vector<std::size_t>>;  // pieces of one stretch and operator

Halves halves_of(const CutProgram& cut) {
  std::map<std::pair<int, int>, std::vector<std::size_t>> by_stretch;
  for (std::size_t i = 0; i < cut.pieces.size(); ++i)
    by_stretch[{cut.pieces[i].stretch, cut.pieces[i].op}].push_back(i);
  Halves all;
  for (auto& [key, pieces] : by_stretch) all.push_back(std::move(pieces));
  return all;
}

// Adds what the pieces of an operator stand for to its own. The halves of a stretch are added up before they
// are scaled: what every period does alike (bytes, products) then comes out exactly.
template <class Get, class Add>
void fold_pieces(const CutProgram& cut, const Halves& stretches, Get get, Add add) {
  for (const std::vector<std::size_t>& halves : stretches) {
    Wide sum = 0;
    for (const std::size_t i : halves) sum += get(at(cut.operators) + i);
    const Piece& piece = cut.pieces[halves.front()];
    add(at(piece.op), scaled(sum, piece.periods, piece.measured));
  }
}

// [operator of the short trace]
Snapshot folded(const CutProgram& cut, const Snapshot& run) {
  Snapshot s = run;
  const std::size_t n = at(cut.operators);
  const Halves halves = halves_of(cut);
  for (auto& values : s.values) {
    fold_pieces(
        cut, halves, [&](std::size_t i) { return values[i]; },
        [&](std::size_t op, Wide v) { values[op] = narrow(values[op] + v); });
    values.resize(n);
  }
  for (std::size_t l = 0; l < activity::kLosses; ++l)
    fold_pieces(
        cut, halves, [&](std::size_t i) { return s.losses[i][l]; },
        [&](std::size_t op, Wide v) { s.losses[op][l] += v; });
  s.losses.resize(n);
  for (EngineTimes& e : s.engines) {
    for (std::size_t b = 0; b < activity::kBuckets; ++b)
      fold_pieces(
          cut, halves, [&](std::size_t i) { return e.by_operator[i][b].count(); },
          [&](std::size_t op, Wide v) {
            e.by_operator[op][b] += Femtoseconds(narrow(v, FemtosecondsTag::kWhat));
          });
    e.by_operator.resize(n);
  }
  return s;
}

// [operator of the full trace]
Snapshot unfolded(const std::vector<int>& stands_for, const Snapshot& s) {
  Snapshot full = s;
  for (std::size_t c = 0; c < s.values.size(); ++c) {
    full.values[c].clear();
    for (const int op : stands_for) full.values[c].push_back(s.values[c][at(op)]);
  }
  full.losses.clear();
  for (const int op : stands_for) full.losses.push_back(s.losses[at(op)]);
  for (std::size_t e = 0; e < s.engines.size(); ++e) {
    full.engines[e].by_operator.clear();
    for (const int op : stands_for) full.engines[e].by_operator.push_back(s.engines[e].by_operator[at(op)]);
  }
  return full;
}

// How far two halves of each stretch are apart, in channel-femtoseconds of what they stand for: [operator].
std::vector<double> unsteadiness(const CutProgram& cut, const Snapshot& run) {
  std::map<std::pair<int, int>, double> difference;  // by stretch and operator
  std::map<std::pair<int, int>, double> factor;
  for (std::size_t i = 0; i < cut.pieces.size(); ++i) {
    const Piece& p = cut.pieces[i];
    const double time = static_cast<double>(sum_of(run.losses[at(cut.operators) + i]));
    difference[{p.stretch, p.op}] += p.half == 0 ? time : -time;
    factor[{p.stretch, p.op}] = static_cast<double>(p.periods - p.measured) / static_cast<double>(p.measured);
  }
  std::vector<double> by_operator(at(cut.operators), 0);
  for (const auto& [key, d] : difference) by_operator[at(key.second)] += std::abs(d) * factor[key];
  return by_operator;
}

// Operators of one shape: what a table of results would put into one row.
using Shape = std::tuple<std::string, std::int64_t, std::int64_t>;

Shape shape_of(const Operator& op) {
  std::string name = op.name;
  if (op.layer >= 0) name = name.substr(name.find('.', name.find('.') + 1) + 1);
  return {name, workload::weight_bytes(op.body).count(), workload::macs(op.body).count()};
}

// Standard deviation of the time of the simulated operators of each shape.
std::map<Shape, double> spreads(const workload::Trace& trace, const Snapshot& s) {
  struct Sums {
    double n = 0, sum = 0, squares = 0;
  };
  std::map<Shape, Sums> sums;
  for (std::size_t i = 0; i < trace.operators.size(); ++i) {
    const double time = static_cast<double>(sum_of(s.losses[i]));
    Sums& x = sums[shape_of(trace.operators[i])];
    ++x.n;
    x.sum += time;
    x.squares += time * time;
  }
  std::map<Shape, double> spread;
  for (const auto& [shape, x] : sums)
    spread[shape] = x.n < 2 ? 0 : std::sqrt(std::max(0.0, (x.squares - x.sum * x.sum / x.n) / (x.n - 1)));
  return spread;
}

}  // namespace

StepPlan::StepPlan(const workload::Trace& trace, const config::Npu& npu, bool memo)
    : wishes_(lowering::wishes_of(trace, npu)),
      short_(memo ? workload::shorten(trace, npu.scratchpad.size, labels_of(wishes_, npu))
                  : workload::unshortened(trace)),
      cut_(plan(short_, npu, wishes_, memo)) {}

Extrapolated StepPlan::extrapolate(const Snapshot& simulated) const {
  if (cut_.pieces.empty() && short_.trace.operators.size() == short_.stands_for.size())
    return {simulated, 1, 0};
  const Snapshot once = folded(cut_, simulated);
  Extrapolated x{unfolded(short_.stands_for, once)};
  activity::settle_time(x.run);
  for (EngineTimes& e : x.run.engines) activity::settle(e, x.run.time);
  x.simulated_fraction = static_cast<double>(simulated.total("dram_transferred_B")) /
                         static_cast<double>(std::max<std::int64_t>(1, x.run.total("dram_transferred_B")));

  std::vector<double> copies(short_.trace.operators.size(), 0);
  for (const int op : short_.stands_for) ++copies[at(op)];
  const std::vector<double> halves = unsteadiness(cut_, simulated);
  const auto spread = spreads(short_.trace, once);
  double variance = 0;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const double repeated = (copies[i] - 1) * spread.at(shape_of(short_.trace.operators[i]));
    variance += std::pow(copies[i] * halves[i], 2) + repeated * repeated;
  }
  x.error_estimate = std::sqrt(variance) / static_cast<double>(x.run.time.count()) / simulated.channels;
  return x;
}

}  // namespace edgenpu::simulate_detail
