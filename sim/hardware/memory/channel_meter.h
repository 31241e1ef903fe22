// What one channel tells the rest of the simulator: event counters and the loss ledger, in the channel's own
// clocks.
//
// Transfers that follow each other without a gap, for one operator, are charged to the ledger in one go;
// flush() before anyone reads it.
#pragma once

#include <cstdint>

#include "activity/counters.h"
#include "activity/ledger.h"
#include "config/memory.h"

namespace edgenpu::hardware {

// Instants of a clock in femtoseconds, without a division where the period is a whole number of them.
class ClockTime {
 public:
  explicit ClockTime(Hertz clock);
  Femtoseconds at(std::int64_t cycle) const;
  std::int64_t cycle_at_or_after(Femtoseconds time) const;

 private:
  Hertz clock_;
  std::int64_t period_;  // 0: not a whole number
};

struct DramCounters {
  explicit DramCounters(activity::Counters& counters);
  activity::CounterId read_B, write_B, transferred_B, read_bits, write_bits, activate, precharge, refresh_ab,
      refresh_pb, hits, misses, conflicts;
};

class ChannelMeter {
 public:
  ChannelMeter(const config::Memory& memory, int channel, activity::Counters& counters,
               activity::LossLedger& ledger);

  using Op = activity::OperatorId;

  void count(activity::CounterId id, Op op, std::int64_t n = 1) { counters_.add(op, id, n); }
  // For a recording only: `n` of what count() or bursts() booked happened between two cycles.
  bool recording() const { return counters_.recording(); }
  void when(activity::CounterId id, std::int64_t n, std::int64_t start, std::int64_t end) {
    if (counters_.recording()) counters_.when(id, n, time_.at(start), time_.at(end));
  }
  void when_bursts(bool write, std::int64_t n, std::int64_t start, std::int64_t end) {
    when(write ? ids_.write_bits : ids_.read_bits, n * burst_bytes_ * 8, start, end);
  }
  // `n` whole bursts.
  void bursts(bool write, Op op, std::int64_t n);
  // The data bus carries data for `op` from cycle `start` to `end`; whatever lies between the last transfer
  // and `start` goes to `cause`, but of that at most the last `rows` cycles to opening rows.
  void transfer(Op op, std::int64_t start, std::int64_t end, activity::Loss cause, std::int64_t rows = 0);
  // The channel had nothing to serve until a request of `op` came.
  void idle_until(Femtoseconds now, Op op);
  // Where programs share the memory: a request comes, a request is done.
  void arrives(Femtoseconds now, Op op) {
    if (!ledger_.shared()) return;
    flush();
    ledger_.arrives(channel_, op, now);
  }
  void leaves(Op op) {
    if (ledger_.shared()) ledger_.leaves(channel_, op);
  }
  void flush();

  const DramCounters& ids() const { return ids_; }
  const ClockTime& time() const { return time_; }
  std::int64_t data_end() const { return end_; }
  // Whose data were moved last: refreshes fall into this operator's time and are booked on it.
  Op serving() const { return op_; }

 private:
  activity::Counters& counters_;
  activity::LossLedger& ledger_;
  DramCounters ids_;
  ClockTime time_;
  int channel_;
  std::int64_t burst_bytes_;
  std::int64_t end_ = 0;
  Op op_{0};
};

}  // namespace edgenpu::hardware
