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

LossLedger::LossLedger(int channels, int operators)
    : cursors_(static_cast<std::size_t>(channels)),
      losses_(static_cast<std::size_t>(operators)),
      recent_(static_cast<std::size_t>(channels)) {
  causes_.push_back({Femtoseconds(0), Loss::issue, OperatorId(0)});
}

void LossLedger::charge(int channel, Loss cause, OperatorId op, Femtoseconds until) {
  Femtoseconds& cursor = cursors_[static_cast<std::size_t>(channel)];
  if (until <= cursor) return;
  losses_[static_cast<std::size_t>(index(op))][static_cast<std::size_t>(cause)] += (until - cursor).count();
  if (overhang_) {
    std::deque<Charge>& recent = recent_[static_cast<std::size_t>(channel)];
    recent.push_back({cursor, cause, op});
    if (recent.size() > kRecent) recent.pop_front();
  }
  cursor = until;
}

void LossLedger::idle_until(int channel, Femtoseconds until) {
  Femtoseconds& cursor = cursors_[static_cast<std::size_t>(channel)];
  if (until <= cursor) return;
  // The last cause that began at or before the cursor covers it.
  auto it = std::upper_bound(causes_.begin(), causes_.end(), cursor,
                             [](Femtoseconds t, const Cause& c) { return t < c.since; });
  --it;
  while (cursor < until) {
    const auto next = it + 1;
    const Femtoseconds stop = next == causes_.end() ? until : std::min(until, next->since);
    charge(channel, it->loss, it->op, stop);
    if (next == causes_.end()) break;
    it = next;
  }
}

void LossLedger::upstream(Femtoseconds now, Loss cause, OperatorId op) {
  Cause& last = causes_.back();
  if (now < last.since) throw InternalError("the upstream's time ran backwards");
  if (last.loss == cause && last.op == op) return;
  if (last.since == now) {
    last = {now, cause, op};
    return;
  }
  causes_.push_back({now, cause, op});
  drop_settled();
}

void LossLedger::drop_settled() {
  const Femtoseconds oldest = *std::min_element(cursors_.begin(), cursors_.end());
  while (causes_.size() > 1 && causes_[1].since <= oldest) causes_.pop_front();
}

void LossLedger::take_back(int channel, Femtoseconds end) {
  Femtoseconds& cursor = cursors_[static_cast<std::size_t>(channel)];
  std::deque<Charge>& recent = recent_[static_cast<std::size_t>(channel)];
  while (cursor > end && !recent.empty()) {
    const Charge& last = recent.back();
    const Femtoseconds from = std::max(last.from, end);
    losses_[static_cast<std::size_t>(index(last.op))][static_cast<std::size_t>(last.loss)] -=
        (cursor - from).count();
    cursor = from;
    recent.pop_back();
  }
}

void LossLedger::finish(Femtoseconds end) {
  for (int c = 0; c < channels(); ++c) {
    if (overhang_) take_back(c, end);
    if (cursor(c) > end) throw InternalError("a memory channel was charged beyond the end of the run");
    idle_until(c, end);
  }
}

}  // namespace edgenpu::activity
