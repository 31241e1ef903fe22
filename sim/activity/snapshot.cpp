#include "activity/snapshot.h"

#include "base/bytes_io.h"
#include "base/error.h"

namespace edgenpu::activity {

namespace {

const std::vector<std::int64_t>* find(const Snapshot& s, const std::string& counter) {
  for (std::size_t i = 0; i < s.counters.size(); ++i)
    if (s.counters[i].name == counter) return &s.values[i];
  return nullptr;
}

const std::vector<std::int64_t>& needed(const Snapshot& s, const std::string& counter) {
  if (const auto* values = find(s, counter)) return *values;
  throw InternalError("a counter that the run did not declare: " + counter);
}

constexpr std::int64_t kFormat = 0x65646765'00000006;

}  // namespace

std::int64_t Snapshot::total(const std::string& counter) const {
  std::int64_t sum = 0;
  for (const std::int64_t v : needed(*this, counter)) sum = checked_add(sum, v);
  return sum;
}

std::int64_t Snapshot::of(const std::string& counter, OperatorId op) const {
  return needed(*this, counter)[static_cast<std::size_t>(index(op))];
}

std::optional<std::int64_t> Snapshot::total_if_declared(const std::string& counter) const {
  if (!find(*this, counter)) return std::nullopt;
  return total(counter);
}

LossTimes Snapshot::total_losses() const {
  LossTimes sum{};
  for (const LossTimes& op : losses)
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += op[i];
  return sum;
}

std::string to_bytes(const Snapshot& s) {
  ByteWriter w;
  w.number(kFormat);
  w.number(s.time.count());
  w.number(static_cast<std::int64_t>(s.programs.size()));
  for (const ProgramEnd& p : s.programs) {
    w.number(p.operators);
    w.number(p.time.count());
  }
  w.number(s.channels);
  w.number(s.events);
  w.number(static_cast<std::int64_t>(s.counters.size()));
  w.number(static_cast<std::int64_t>(s.losses.size()));
  for (std::size_t i = 0; i < s.counters.size(); ++i) {
    w.text(s.counters[i].name);
    w.text(s.counters[i].unit);
    w.text(s.counters[i].description);
    w.number(s.counters[i].billable);
    for (const std::int64_t v : s.values[i]) w.number(v);
  }
  for (const LossTimes& op : s.losses)
    for (const Wide v : op) w.wide(v);
  w.number(static_cast<std::int64_t>(s.engines.size()));
  for (const EngineTimes& e : s.engines) {
    w.text(e.name);
    for (const Femtoseconds t : e.times) w.number(t.count());
    w.number(static_cast<std::int64_t>(e.by_operator.size()));
    for (const BucketTimes& op : e.by_operator)
      for (const Femtoseconds t : op) w.number(t.count());
  }
  w.number(static_cast<std::int64_t>(s.notes.size()));
  for (const std::string& note : s.notes) w.text(note);
  w.number(s.windows.window.count());
  w.number(static_cast<std::int64_t>(s.windows.names.size()));
  w.number(static_cast<std::int64_t>(s.windows.size()));
  for (const std::string& name : s.windows.names) w.text(name);
  for (const auto& amounts : s.windows.amounts) w.numbers(amounts);
  w.number(static_cast<std::int64_t>(s.dram_commands.size()));
  for (const std::string& commands : s.dram_commands) w.text(commands);
  return w.take();
}

Snapshot from_bytes(const std::string& bytes) {
  ByteReader r(bytes, "a worker's result");
  if (r.number() != kFormat) throw InternalError("a worker's result has a foreign format");
  Snapshot s;
  s.time = Femtoseconds(r.number());
  s.programs.resize(r.size());
  for (ProgramEnd& p : s.programs) {
    p.operators = static_cast<int>(r.number());
    p.time = Femtoseconds(r.number());
  }
  s.channels = static_cast<int>(r.number());
  s.events = r.number();
  s.counters.resize(r.size());
  s.losses.resize(r.size());
  for (CounterInfo& info : s.counters) {
    info.name = r.text();
    info.unit = r.text();
    info.description = r.text();
    info.billable = r.number() != 0;
    s.values.emplace_back();
    for (std::size_t op = 0; op < s.losses.size(); ++op) s.values.back().push_back(r.number());
  }
  for (LossTimes& op : s.losses)
    for (Wide& v : op) v = r.wide();
  s.engines.resize(r.size());
  for (EngineTimes& e : s.engines) {
    e.name = r.text();
    for (Femtoseconds& t : e.times) t = Femtoseconds(r.number());
    e.by_operator.resize(r.size());
    for (BucketTimes& op : e.by_operator)
      for (Femtoseconds& t : op) t = Femtoseconds(r.number());
  }
  s.notes.resize(r.size());
  for (std::string& note : s.notes) note = r.text();
  s.windows.window = Femtoseconds(r.number());
  s.windows.names.resize(r.size());
  const std::size_t windows = r.size();
  for (std::string& name : s.windows.names) name = r.text();
  for (std::size_t i = 0; i < s.windows.names.size(); ++i) s.windows.amounts.push_back(r.numbers(windows));
  s.dram_commands.resize(r.size());
  for (std::string& commands : s.dram_commands) commands = r.text();
  return s;
}

}  // namespace edgenpu::activity
