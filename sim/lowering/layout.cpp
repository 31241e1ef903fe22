#include "lowering/layout.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "base/error.h"
#include "lowering/value_places.h"

namespace edgenpu::lowering {

using namespace workload;

namespace {

// Attention scores take an eighth of the scratchpad, twice (two blocks under way).
constexpr std::int64_t kScoreShare = 8;
// The ring must hold two loads of this size at least, or nothing streams.
constexpr Bytes kSmallestRing(1024);

std::size_t at(int op) {
  return static_cast<std::size_t>(op);
}

// Operators of layers correspond by their names.
std::vector<std::vector<int>> predecessors_of(const Trace& trace) {
  std::vector<std::vector<int>> predecessors(trace.operators.size());
  std::map<std::string, int> found;
  for (std::size_t i = 0; i < trace.operators.size(); ++i) {
    const Operator& op = trace.operators[i];
    if (op.layer < 0) continue;
    const auto [before, fresh] = found.try_emplace(name_within_layer(op), -1);
    if (!fresh) predecessors[i] = {before->second};
    before->second = static_cast<int>(i);
  }
  return predecessors;
}

std::int64_t most_rows(const Trace& trace) {
  std::int64_t most = 1;
  for (const Operator& op : trace.operators) most = std::max(most, rows_of(op.body));
  return most;
}

class Chooser {
 public:
  Chooser(const Trace& trace, const config::Npu& npu, std::int64_t spill_base, const Wishes& wishes)
      : trace_(trace),
        npu_(npu),
        spill_base_(spill_base),
        wishes_(wishes),
        consumers_(consumers_of(trace)),
        places_(trace, npu, consumers_) {}

  Layout choose() {
    const Bytes fixed = resident_bytes(trace_, consumers_) + npu_.scratchpad.size / kScoreShare;
    // One row gains nothing from another layout; with more, activations that follow their products are faster
    // however large the scratchpad is.
    if (most_rows(trace_) == 1 && fixed + kSmallestRing <= npu_.scratchpad.size) return resident(fixed);
    if (std::optional<Layout> l = compact(npu_.fusion)) return *l;
    // A norm that takes rows as they appear has its place while the sum still reads.
    const config::Fusion apart{npu_.fusion.activation, npu_.fusion.rope, false};
    if (std::optional<Layout> l = compact(apart)) return *l;
    return spilling();
  }

 private:
  Layout common() const {
    Layout l;
    l.scores = npu_.scratchpad.size / kScoreShare;
    l.consumers = consumers_;
    l.values = values_of(trace_, consumers_);
    l.displaced.resize(trace_.operators.size());
    return l;
  }

  Layout resident(Bytes fixed) const {
    Layout l = common();
    l.division.fixed = fixed;
    l.granule = most_rows(trace_);
    l.displaced = predecessors_of(trace_);
    for (std::size_t i = 0; i < l.values.size(); ++i) {
      const bool sampled = follower(trace_, consumers_, static_cast<int>(i), {false, false, false}) >= 0;
      if (l.values[i].rows > 0) l.values[i].place = sampled ? Place::passing : Place::scratchpad;
    }
    return l;
  }

  // Half of the scratchpad for values at most, a sixteenth for results on their way; nothing if that is too
  // little.
  std::optional<Layout> compact(const config::Fusion& follow) const {
    Layout l = sharing(16);
    l.follow = follow;
    const std::vector<std::string> names = places_.names_by_size(l);
    const ValuePlaces::Kept kept = places_.keep(l, names, npu_.scratchpad.size / 2);
    if (kept.names.size() < names.size()) return std::nullopt;
    l.division.fixed = kept.used + l.scores;
    l.granule = kLargestGranule;
    return whole_rows_fit(l) ? std::optional(l) : std::nullopt;
  }

  // The layout with the least traffic, of those that keep as many values as fit one of these budgets. They
  // are the same for every scratchpad, up to a quarter of it, so that a larger one has all the choices of a
  // smaller.
  Layout spilling() const {
    std::optional<Layout> best;
    Bytes least{0};
    std::set<std::set<std::string>> seen;
    for (Bytes budget(0); budget <= npu_.scratchpad.size / 4; budget = next_budget(budget)) {
      Layout l = sharing(8);
      const ValuePlaces::Kept kept = places_.keep(l, places_.names_by_size(l), budget);
      if (!seen.insert(kept.names).second) continue;
      places_.spill(l, kept.names, spill_base_);
      l.division.fixed = kept.used;
      l.division.scores = l.scores;  // only attention needs them: products have a division of their own
      l.division.held = npu_.scratchpad.size / 2 - kept.used;
      l.granule = granule(l);
      plan_products(l, trace_, npu_, wishes_);
      const Bytes bytes = traffic_of(l, trace_, npu_);
      if (best && bytes >= least) continue;
      least = bytes;
      best = std::move(l);
    }
    return *best;
  }

  // 0, 4 KiB, then steps by a half and a third.
  static Bytes next_budget(Bytes b) {
    if (b == Bytes(0)) return Bytes(4096);
    const bool power = (b.count() & (b.count() - 1)) == 0;
    return power ? b * 3 / 2 : b * 4 / 3;
  }

  // Places are shared; 1/outputs of the scratchpad is for results on their way.
  Layout sharing(std::int64_t outputs) const {
    Layout l = common();
    l.shared = true;
    l.follow = npu_.fusion;
    l.division.outputs = npu_.scratchpad.size / outputs;
    return l;
  }

  bool whole_rows_fit(const Layout& l) const {
    for (int op = 0; op < static_cast<int>(l.values.size()); ++op) {
      const OperatorBody& body = trace_.operators[at(op)].body;
      // Attention may take its queries in blocks.
      const std::int64_t rows = std::holds_alternative<Attention>(body) ? 1 : rows_of(body);
      if (row_limit(l, trace_, npu_, op) < rows) return false;
    }
    return true;
  }

  std::int64_t granule(const Layout& l) const {
    std::int64_t least = std::min(kLargestGranule, most_rows(trace_));
    for (int op = 0; op < static_cast<int>(l.values.size()); ++op) {
      if (std::holds_alternative<MatMul>(trace_.operators[at(op)].body)) continue;
      const std::int64_t limit = row_limit(l, trace_, npu_, op);
      if (limit < 1)
        throw InfeasibleError(fmt::format(
            "{}: the activations of {} ({} tokens) do not fit the scratchpad, and neither do two rows of "
            "this "
            "operator, which is needed to pass them through it: {} B of results a row, {} B for loads and {} "
            "B "
            "for results of {} B",
            trace_.operators[at(op)].name, trace_.model, trace_.tokens * trace_.batch,
            l.values[at(op)].row().count(), l.division.loads(npu_.scratchpad.size).count(),
            l.division.outputs.count(), npu_.scratchpad.size.count()));
      least = std::min(least, limit);
    }
    std::int64_t rows = 1;
    while (rows * 2 <= least) rows *= 2;
    return rows;
  }

  const Trace& trace_;
  const config::Npu& npu_;
  std::int64_t spill_base_;
  const Wishes& wishes_;
  Consumers consumers_;
  ValuePlaces places_;
};

}  // namespace

Layout choose_layout(const Trace& trace, const config::Npu& npu, std::int64_t spill_base,
                     const Wishes& wishes) {
  Layout layout = Chooser(trace, npu, spill_base, wishes).choose();
  if (!layout.spills()) plan_products(layout, trace, npu, wishes);
  return layout;
}

}  // namespace edgenpu::lowering
