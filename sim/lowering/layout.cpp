#include "lowering/layout.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "base/error.h"
#include "lowering/first_fit.h"

namespace edgenpu::lowering {

using namespace workload;

namespace {

// Attention scores take an eighth of the scratchpad, twice (two blocks under way).
constexpr std::int64_t kScoreShare = 8;
// The ring must hold two loads of this size at least, or nothing streams.
constexpr Bytes kSmallestRing(1024);
constexpr std::int64_t kScratchpadWord = 64, kDramAlignment = 64;

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
  Chooser(const Trace& trace, const config::Npu& npu, std::int64_t spill_base)
      : trace_(trace), npu_(npu), spill_base_(spill_base), consumers_(consumers_of(trace)) {}

  Layout choose() {
    const Bytes fixed = resident_bytes(trace_, consumers_) + npu_.scratchpad.size / kScoreShare;
    // One row gains nothing from another layout; with more, activations that follow their products are faster
    // however large the scratchpad is.
    if (most_rows(trace_) == 1 && fixed + kSmallestRing <= npu_.scratchpad.size) return resident(fixed);
    if (std::optional<Layout> compact = divide(2, 16, 0)) return *compact;
    return *divide(4, 8, 2);
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
      const bool sampled = follower(trace_, consumers_, static_cast<int>(i), false) >= 0;
      if (l.values[i].rows > 0) l.values[i].place = sampled ? Place::passing : Place::scratchpad;
    }
    return l;
  }

  // Shares of the scratchpad: 1/kept for values at most, 1/outputs for results on their way, and, if values
  // may spill, 1/held of it at least for held weights. Nothing if values do not fit and may not spill.
  std::optional<Layout> divide(std::int64_t kept, std::int64_t outputs, std::int64_t held) const {
    Layout l = common();
    l.activations_follow = npu_.fusion;
    l.division.outputs = npu_.scratchpad.size / outputs;
    std::set<std::string> inside;
    const std::int64_t budget = npu_.scratchpad.size.count() / kept;
    std::int64_t used = 0;
    bool all = true;
    for (const std::string& name : names_by_size(l)) {
      inside.insert(name);
      const std::optional<std::int64_t> peak = place(l, inside, budget);
      if (peak) used = *peak;
      if (!peak) inside.erase(name);
      all = all && peak;
    }
    if (!all && held == 0) return std::nullopt;
    place(l, inside, budget);
    l.division.fixed = Bytes(used) + l.scores;
    l.granule = most_rows(trace_);
    if (held == 0) return whole_rows_fit(l) ? std::optional(l) : std::nullopt;
    spill(l, inside);
    // Products have a division of their own, without scores.
    l.division.fixed = Bytes(used);
    l.division.scores = l.scores;
    l.division.held = npu_.scratchpad.size / held - Bytes(used);
    l.granule = granule(l);
    return l;
  }

  std::string name_of(std::size_t op) const { return name_within_layer(trace_.operators[op]); }
  bool stays(const Layout& l, std::size_t i) const {
    return l.values[i].rows > 0 && follower(trace_, consumers_, static_cast<int>(i), npu_.fusion) < 0;
  }

  std::vector<std::string> names_by_size(Layout& l) const {
    std::map<std::string, std::int64_t> bytes;
    for (std::size_t i = 0; i < l.values.size(); ++i) {
      if (stays(l, i))
        bytes[name_of(i)] = std::max(bytes[name_of(i)], l.values[i].bytes().count());
      else if (l.values[i].rows > 0)
        l.values[i].place = Place::passing;
    }
    std::vector<std::string> names;
    for (const auto& [name, size] : bytes) names.push_back(name);
    std::stable_sort(names.begin(), names.end(), [&](auto& a, auto& b) { return bytes[a] < bytes[b]; });
    return names;
  }

  // When an operator's commands come: products that an activation follows are issued with it.
  int issued(int op) const {
    const int next = follower(trace_, consumers_, op, npu_.fusion);
    return next < 0 ? op : next;
  }
  int last_read(std::size_t op) const {
    int last = static_cast<int>(op);
    for (const int reader : consumers_[op]) last = std::max(last, issued(reader));
    return last;
  }

  // Places the values called `names`; the bytes they take, or nothing if that is more than `size`.
  std::optional<std::int64_t> place(Layout& l, const std::set<std::string>& names, std::int64_t size) const {
    FirstFit fit(size, kScratchpadWord);
    for (std::size_t i = 0; i < l.values.size(); ++i) {
      if (!stays(l, i) || !names.count(name_of(i))) continue;
      const int op = static_cast<int>(i);
      const auto found = fit.place(op, l.values[i].bytes().count(), op, last_read(i));
      if (!found) return std::nullopt;
      l.values[i].place = Place::scratchpad;
      l.displaced[i] = found->displaced;
    }
    return fit.peak();
  }

  // The other values go to DRAM.
  void spill(Layout& l, const std::set<std::string>& inside) const {
    FirstFit fit(npu_.memory.capacity.count(), kDramAlignment);
    for (std::size_t i = 0; i < l.values.size(); ++i) {
      if (!stays(l, i) || inside.count(name_of(i))) continue;
      const int op = static_cast<int>(i);
      const auto found = fit.place(op, l.values[i].bytes().count(), op, last_read(i));
      if (!found) throw_spill(l.values[i].bytes());
      l.values[i].place = Place::dram;
      l.values[i].address = spill_base_ + found->address;
      l.displaced[i] = found->displaced;
    }
    l.spill = Bytes(fit.peak());
    const Bytes needed = trace_.resident_weights + trace_.resident_kv + npu_.memory.reserve + l.spill;
    if (needed > npu_.memory.capacity || spill_base_ + l.spill.count() > npu_.memory.capacity.count())
      throw_spill(l.spill);
  }
  [[noreturn]] void throw_spill(Bytes bytes) const {
    throw InfeasibleError(fmt::format(
        "{} {}: {} B of activations that do not fit the scratchpad do not fit the memory either: needs {} B "
        "(weights {} B, KV cache {} B, reserve {} B, activations {} B), there are {} B",
        trace_.model, trace_.quant, bytes.count(),
        (trace_.resident_weights + trace_.resident_kv + npu_.memory.reserve + bytes).count(),
        trace_.resident_weights.count(), trace_.resident_kv.count(), npu_.memory.reserve.count(),
        bytes.count(), npu_.memory.capacity.count()));
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
  Consumers consumers_;
};

}  // namespace

Layout choose_layout(const Trace& trace, const config::Npu& npu, std::int64_t spill_base,
                     const Wishes& wishes) {
  Layout layout = Chooser(trace, npu, spill_base).choose();
  plan_products(layout, trace, npu, wishes);
  return layout;
}

}  // namespace edgenpu::lowering
