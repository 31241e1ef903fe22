#include "lowering/cut.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/rates.h"

namespace edgenpu::lowering {

namespace {

// Long enough for a block of weights with the chunks of rows that pass it (prefill).
constexpr int kLongestPeriod = 300;
// A removal must be worth its bookkeeping.
constexpr std::int64_t kFewestRemoved = 4;

std::size_t at(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

class Mixer {
 public:
  void add(std::int64_t v) {
    hash_ = (hash_ ^ static_cast<std::uint64_t>(v)) * 0x9e3779b97f4a7c15;
    hash_ ^= hash_ >> 29;
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0x243f6a8885a308d3;
};

// Everything about a command but its place and its addresses.
std::uint64_t fingerprint(const Program& p, std::int64_t index) {
  const Command& c = p.commands[at(index)];
  Mixer m;
  m.add(static_cast<std::int64_t>(c.unit));
  m.add(activity::index(c.op));
  m.add(c.barrier);
  if (c.unit == Unit::matrix) {
    const MatrixWork& w = p.matrix[at(c.work)];
    for (const std::int64_t v :
         {w.m, w.n, w.k, std::int64_t{w.operands}, std::int64_t{w.format}, w.weights.count(),
          w.activations.count(), w.results.count(), w.sums.count(), static_cast<std::int64_t>(w.split)})
      m.add(v);
    if (w.band >= 0) {
      const Band& b = p.bands[at(w.band)];
      for (const std::int64_t v :
           {b.tokens, b.rows, b.first, b.keys, b.window, std::int64_t{b.keys_are_outputs}})
        m.add(v);
    }
  } else if (c.unit == Unit::vector) {
    const VectorWork& w = p.vector[at(c.work)];
    for (const std::int64_t v :
         {w.elements, w.operations, w.read.count(), w.written.count(), w.words, w.trees})
      m.add(v);
  } else if (c.unit == Unit::cores) {
    const CoresWork& w = p.cores[at(c.work)];
    for (const std::int64_t v : {w.operations, w.products, w.read.count(), w.written.count(),
                                 std::int64_t{w.opens}, std::int64_t{w.closes}})
      m.add(v);
  } else {
    const Transfer& t = p.transfers[at(c.work)];
    for (const std::int64_t v : {t.bytes.count(), t.count, t.stride.count(),
                                 static_cast<std::int64_t>(t.purpose), std::int64_t{t.pieces}})
      m.add(v);
  }
  for (std::int32_t d = 0; d < c.dependencies; ++d) {
    const Dependency& dependency = p.dependencies[at(c.first_dependency + d)];
    m.add(static_cast<std::int64_t>(dependency.wait));
    m.add(index - dependency.command);
  }
  return m.value();
}

struct Stretch {
  std::int64_t first = 0;  // command
  std::int64_t period = 0, periods = 0;
  std::int64_t warm = 0, measured = 0, tail = 0;  // periods; measured is even
  std::int64_t removed() const { return periods - warm - measured - tail; }
  std::int64_t measure_begin() const { return first + warm * period; }
  std::int64_t measure_end() const { return measure_begin() + measured * period; }
  std::int64_t removed_end() const { return measure_end() + removed() * period; }
};

Bytes loaded(const Program& p, std::int64_t first, std::int64_t period) {
  Bytes bytes{0};
  for (std::int64_t i = first; i < first + period; ++i)
    if (const Command& c = p.commands[at(i)]; c.unit == Unit::load || c.unit == Unit::store)
      bytes += p.transfers[at(c.work)].total();
  return bytes;
}

// Periods that the command processor runs ahead before a queue is full.
std::int64_t lookahead(const Program& p, const Stretch& s, std::int64_t queue_depth) {
  std::array<std::int64_t, kUnits> commands{};
  for (std::int64_t i = s.first; i < s.first + s.period; ++i)
    ++commands[static_cast<std::size_t>(p.commands[at(i)].unit)];
  return ceil_div(queue_depth, *std::max_element(commands.begin(), commands.end())) + 2;
}

// The stretch that begins at `first`, with the period that covers most; periods 0 if there is none.
Stretch stretch_at(const std::vector<std::uint64_t>& prints, std::int64_t first) {
  const auto n = static_cast<std::int64_t>(prints.size());
  Stretch best;
  std::int64_t covered = 0;
  for (std::int64_t period = 1; period <= kLongestPeriod && first + 2 * period <= n; ++period) {
    if (prints[at(first)] != prints[at(first + period)]) continue;
    std::int64_t end = first + period;
    while (end < n && prints[at(end)] == prints[at(end - period)]) ++end;
    // A longer period must earn its place: multiples of a period repeat too.
    if (end - first <= covered + period) continue;
    covered = end - first;
    best.first = first;
    best.period = period;
    best.periods = covered / period;
  }
  return best;
}

std::vector<Stretch> stretches_of(const Program& p, const CutLimits& limits) {
  std::vector<std::uint64_t> prints;
  prints.reserve(p.commands.size());
  for (std::size_t i = 0; i < p.commands.size(); ++i)
    prints.push_back(fingerprint(p, static_cast<std::int64_t>(i)));
  std::vector<Stretch> stretches;
  const auto n = static_cast<std::int64_t>(prints.size());
  for (std::int64_t i = 0; i < n;) {
    Stretch s = stretch_at(prints, i);
    const Bytes bytes = s.periods >= 8 ? loaded(p, s.first, s.period) : Bytes(0);
    if (bytes == Bytes(0)) {
      ++i;
      continue;
    }
    s.warm = ceil_div(limits.warm_up.count(), bytes.count());
    const std::int64_t least =
        std::max(ceil_div(limits.measured.count(), bytes.count()), s.periods / limits.share);
    s.measured = ceil_div(least, 2) * 2;
    s.tail = lookahead(p, s, limits.queue_depth);
    if (s.removed() >= kFewestRemoved) {
      stretches.push_back(s);
      i = s.first + s.periods * s.period;
    } else {
      i += std::max<std::int64_t>(1, (s.periods - 1) * s.period);
    }
  }
  return stretches;
}

class Cutter {
 public:
  Cutter(const Program& full, const std::vector<Stretch>& stretches) : full_(full), stretches_(stretches) {
    out_.program = full;
    out_.operators = full.operators;
    out_.program.commands.clear();
    out_.program.dependencies.clear();
    new_index_.resize(full.commands.size());
  }

  CutProgram run() {
    std::size_t next = 0;
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(full_.commands.size()); ++i) {
      while (next < stretches_.size() && i >= stretches_[next].removed_end()) ++next;
      const Stretch* s = next < stretches_.size() ? &stretches_[next] : nullptr;
      if (s && i >= s->measure_end()) {
        // Stands for the command one removal earlier, or several.
        const std::int64_t back = (i - s->measure_end()) / s->period + 1;
        new_index_[at(i)] = new_index_[at(i - back * s->period)];
        continue;
      }
      const bool measured = s && i >= s->measure_begin();
      copy(i, measured ? piece(static_cast<int>(next), *s, i) : activity::index(full_.commands[at(i)].op));
    }
    out_.program.operators = out_.operators + static_cast<int>(out_.pieces.size());
    return std::move(out_);
  }

 private:
  int piece(int stretch, const Stretch& s, std::int64_t i) {
    const int op = activity::index(full_.commands[at(i)].op);
    const int half = i >= s.measure_begin() + s.measured / 2 * s.period ? 1 : 0;
    const auto [found, fresh] = ids_.emplace(std::array<int, 3>{stretch, half, op},
                                             out_.operators + static_cast<int>(out_.pieces.size()));
    if (fresh) {
      out_.pieces.push_back({op, stretch, half, s.measured + s.removed(), s.measured});
      if (!full_.operator_names.empty()) out_.program.operator_names.push_back(full_.operator_names[at(op)]);
    }
    return found->second;
  }

  void copy(std::int64_t i, int op) {
    Command c = full_.commands[at(i)];
    const std::int32_t first = c.first_dependency;
    c.op = activity::OperatorId(op);
    c.first_dependency = static_cast<std::int32_t>(out_.program.dependencies.size());
    const auto index = static_cast<std::int32_t>(out_.program.commands.size());
    for (std::int32_t d = 0; d < c.dependencies; ++d) {
      Dependency dependency = full_.dependencies[at(first + d)];
      dependency.command = mapped(i, dependency.command);
      out_.program.dependencies.push_back(dependency);
    }
    new_index_[at(i)] = index;
    out_.program.commands.push_back(c);
  }

  // Behind a removal, what lay inside it is stood for by the command that lies as far back now.
  std::int32_t mapped(std::int64_t from, std::int64_t to) const {
    for (const Stretch& s : stretches_)
      if (to >= s.measure_end() && to < s.removed_end() && from >= s.removed_end())
        return new_index_[at(std::max<std::int64_t>(0, to - s.removed() * s.period))];
    return new_index_[at(to)];
  }

  const Program& full_;
  const std::vector<Stretch>& stretches_;
  CutProgram out_;
  std::vector<std::int32_t> new_index_;
  std::map<std::array<int, 3>, int> ids_;
};

}  // namespace

CutProgram uncut(const Program& full) {
  return {full, full.operators, {}};
}

CutProgram cut(const Program& full, const CutLimits& limits) {
  const std::vector<Stretch> stretches = stretches_of(full, limits);
  return stretches.empty() ? uncut(full) : Cutter(full, stretches).run();
}

}  // namespace edgenpu::lowering
