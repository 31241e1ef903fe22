#include "activity/ledger.h"

#include <algorithm>

#include "base/error.h"

namespace edgenpu::activity {

namespace {
// More charges than the queues of a channel can hold requests beyond the present.
constexpr std::size_t kRecent = 512;
}  // namespace

Wide sum_of(const LossTimes& losses) {
  Wide sum = 0;
  for (const Wide t : losses) sum += t;
  return sum;
}

LossLedger::LossLedger(int channels, const std::vector<int>& operators) {
  const auto n = static_cast<std::size_t>(channels);
  std::int32_t first = 0;
  for (const int count : operators) {
    Program p;
    p.first = OperatorId(first);
    p.cursors.resize(n);
    p.recent.resize(n);
    p.waiting.resize(n);
    p.wanted.resize(n, p.first);
    p.served.resize(n);
    p.causes.push_back({Femtoseconds(0), Loss::issue, p.first});
    programs_.push_back(std::move(p));
    first += count;
  }
  losses_.resize(static_cast<std::size_t>(first));
}

LossLedger::Program& LossLedger::program_of(OperatorId op) {
  std::size_t i = programs_.size() - 1;
  while (i > 0 && index(programs_[i].first) > index(op)) --i;
  return programs_[i];
}

void LossLedger::charge(int channel, Loss cause, OperatorId op, Femtoseconds until) {
  Program& mine = program_of(op);
  if (shared()) charge_others(mine, channel, op, until);
  charge(mine, channel, cause, op, until);
}

// What the bus did for others before is contention to `mine`, and what it does now is so to them.
void LossLedger::charge_others(Program& mine, int channel, OperatorId op, Femtoseconds until) {
  const auto c = static_cast<std::size_t>(channel);
  Femtoseconds theirs{0};
  for (Program& other : programs_) {
    if (&other == &mine) continue;
    theirs = std::max(theirs, other.served[c]);
    if (other.waiting[c] > 0) charge(other, channel, Loss::contention, other.wanted[c], until);
  }
  charge(mine, channel, Loss::contention, op, std::min(theirs, until));
  mine.served[c] = std::max(mine.served[c], until);
}

void LossLedger::charge(Program& program, int channel, Loss cause, OperatorId op, Femtoseconds until) {
  Femtoseconds& cursor = program.cursors[static_cast<std::size_t>(channel)];
  if (until <= cursor) return;
  losses_[static_cast<std::size_t>(index(op))][static_cast<std::size_t>(cause)] += (until - cursor).count();
  if (overhang_) {
    std::deque<Charge>& recent = program.recent[static_cast<std::size_t>(channel)];
    recent.push_back({cursor, cause, op});
    if (recent.size() > kRecent) recent.pop_front();
  }
  cursor = until;
}

void LossLedger::arrives(int channel, OperatorId op, Femtoseconds now) {
  const auto c = static_cast<std::size_t>(channel);
  Program& mine = program_of(op);
  if (mine.waiting[c]++ == 0) idle_until(channel, now, op);
  mine.wanted[c] = op;
}

void LossLedger::leaves(int channel, OperatorId op) {
  --program_of(op).waiting[static_cast<std::size_t>(channel)];
}

void LossLedger::idle_until(int channel, Femtoseconds until, OperatorId op) {
  Program& mine = program_of(op);
  Femtoseconds& cursor = mine.cursors[static_cast<std::size_t>(channel)];
  if (until <= cursor) return;
  // The last cause that began at or before the cursor covers it.
  auto it = std::upper_bound(mine.causes.begin(), mine.causes.end(), cursor,
                             [](Femtoseconds t, const Cause& c) { return t < c.since; });
  --it;
  while (cursor < until) {
    const auto next = it + 1;
    const Femtoseconds stop = next == mine.causes.end() ? until : std::min(until, next->since);
    charge(mine, channel, it->loss, it->op, stop);
    if (next == mine.causes.end()) break;
    it = next;
  }
}

void LossLedger::upstream(Femtoseconds now, Loss cause, OperatorId op) {
  Program& mine = program_of(op);
  Cause& last = mine.causes.back();
  if (now < last.since) throw InternalError("the upstream's time ran backwards");
  if (last.loss == cause && last.op == op) return;
  if (last.since == now) {
    last = {now, cause, op};
    return;
  }
  mine.causes.push_back({now, cause, op});
  drop_settled(mine);
}

void LossLedger::drop_settled(Program& program) {
  const Femtoseconds oldest = *std::min_element(program.cursors.begin(), program.cursors.end());
  while (program.causes.size() > 1 && program.causes[1].since <= oldest) program.causes.pop_front();
}

void LossLedger::take_back(Program& program, int channel, Femtoseconds end) {
  Femtoseconds& cursor = program.cursors[static_cast<std::size_t>(channel)];
  std::deque<Charge>& recent = program.recent[static_cast<std::size_t>(channel)];
  while (cursor > end && !recent.empty()) {
    const Charge& last = recent.back();
    const Femtoseconds from = std::max(last.from, end);
    losses_[static_cast<std::size_t>(index(last.op))][static_cast<std::size_t>(last.loss)] -=
        (cursor - from).count();
    cursor = from;
    recent.pop_back();
  }
}

void LossLedger::finish(const std::vector<Femtoseconds>& ends) {
  for (std::size_t p = 0; p < programs_.size(); ++p)
    for (int c = 0; c < channels(); ++c) {
      if (overhang_) take_back(programs_[p], c, ends[p]);
      if (programs_[p].cursors[static_cast<std::size_t>(c)] > ends[p])
        throw InternalError("a memory channel was charged beyond the end of the run");
      idle_until(c, ends[p], programs_[p].first);
    }
}

}  // namespace edgenpu::activity
