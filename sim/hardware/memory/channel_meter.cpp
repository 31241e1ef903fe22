#include "hardware/memory/channel_meter.h"

#include "base/rates.h"

namespace edgenpu::hardware {

ClockTime::ClockTime(Hertz clock)
    : clock_(clock),
      period_(kFemtosecondsPerSecond % clock.count() == 0 ? kFemtosecondsPerSecond / clock.count() : 0) {}

Femtoseconds ClockTime::at(std::int64_t cycle) const {
  return period_ ? Femtoseconds(period_) * cycle : time_of(Cycles(cycle), clock_);
}

std::int64_t ClockTime::cycle_at_or_after(Femtoseconds time) const {
  return period_ ? ceil_div(time.count(), period_) : edgenpu::cycle_at_or_after(time, clock_).count();
}

DramCounters::DramCounters(activity::Counters& c)
    : read_B(c.declare({"dram_read_B", "bytes", "Bytes that masters asked to read.", false})),
      write_B(c.declare({"dram_write_B", "bytes", "Bytes that masters asked to write.", false})),
      transferred_B(
          c.declare({"dram_transferred_B", "bytes", "Bytes of the whole bursts on the data bus.", false})),
      read_bits(c.declare({"dram_read_bits", "bits", "Bits of whole read bursts.", true})),
      write_bits(c.declare({"dram_write_bits", "bits", "Bits of whole write bursts.", true})),
      activate(
          c.declare({"dram_activate", "commands", "Rows opened (an ACT-1 with its ACT-2 is one).", true})),
      precharge(
          c.declare({"dram_precharge", "rows", "Rows closed; their energy is in dram_activate.", false})),
      refresh_ab(
          c.declare({"dram_refresh_ab", "commands", "All-bank refresh commands, each to one rank.", true})),
      refresh_pb(
          c.declare({"dram_refresh_pb", "commands", "Per-bank refresh commands, each to one bank.", true})),
      hits(c.declare({"dram_row_hits", "bursts", "Bursts whose row was open.", false})),
      misses(c.declare(
          {"dram_row_misses", "bursts", "Bursts that had their row opened in a closed bank.", false})),
      conflicts(
          c.declare({"dram_row_conflicts", "bursts", "Bursts that had another row closed first.", false})) {}

ChannelMeter::ChannelMeter(const config::Memory& memory, int channel, activity::Counters& counters,
                           activity::LossLedger& ledger)
    : counters_(counters),
      ledger_(ledger),
      ids_(counters),
      time_(memory.clock),
      channel_(channel),
      burst_bytes_(memory.burst_bytes().count()) {}

void ChannelMeter::bursts(bool write, Op op, std::int64_t n) {
  counters_.add(op, ids_.transferred_B, n * burst_bytes_);
  counters_.add(op, write ? ids_.write_bits : ids_.read_bits, n * burst_bytes_ * 8);
}

void ChannelMeter::transfer(Op op, std::int64_t start, std::int64_t end, activity::Loss cause,
                            std::int64_t rows) {
  if (start != end_ || op != op_) {
    flush();
    if (start > end_) {
      if (rows > 0) ledger_.charge(channel_, activity::Loss::queueing, op, time_.at(start - rows));
      ledger_.charge(channel_, cause, op, time_.at(start));
    }
    op_ = op;
  }
  end_ = end;
}

void ChannelMeter::idle_until(Femtoseconds now, Op op) {
  flush();
  ledger_.idle_until(channel_, now, op);
}

void ChannelMeter::flush() {
  ledger_.charge(channel_, activity::Loss::transfer, op_, time_.at(end_));
}

}  // namespace edgenpu::hardware
