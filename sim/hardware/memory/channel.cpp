#include "hardware/memory/channel.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/error.h"
#include "timing/refresh.h"

namespace edgenpu::hardware {

namespace {

std::int64_t lowest_bit(std::int64_t mask) {
  return mask & -mask;
}

std::int64_t all_bits_up_to_highest(std::int64_t mask) {
  std::int64_t bits = 0;
  while (bits < mask) bits = bits << 1 | 1;
  return bits;
}

// Neighbouring bursts go to different bank groups soon enough for a stream to run at tCCD_S.
bool streams_at_full_rate(const config::Memory& m, const timing::AddressMap& map) {
  return m.t.tCCD_L == m.t.tCCD_S || (map.group_mask() & 3) != 0;
}

}  // namespace

Channel::Channel(const config::Memory& m, const timing::AddressMap& map, int index, Detail detail, int ports,
                 activity::Counters& counters, activity::LossLedger& ledger)
    : memory_(m),
      map_(map),
      state_(m),
      meter_(m, index, counters, ledger),
      detail_(detail),
      ports_(ports, m.controller.port_queue),
      window_(m, map, state_, ports_),
      refresh_(static_cast<std::size_t>(m.ranks)),
      schedule_(m) {
  if (state_.banks() > 64) throw InternalError("a channel of more than 64 banks");
  for (std::size_t r = 0; r < refresh_.size(); ++r) {
    if (!schedule_.never()) expect_refresh(static_cast<int>(r), 0);
    refresh_[r].round = (std::uint64_t{1} << (m.banks() - 1) << 1) - 1;
  }
  update_next_due();
  for (std::size_t c = 0; c < command_slots_.size(); ++c)
    command_slots_[c] = timing::slots_of(m, static_cast<Command>(c));
  data_start_ = {timing::read_data_start(m), timing::write_data_start(m)};
  rcd_ = m.t.tRCD.count() + (m.slots.act2 > 0 ? m.slots.act1 + m.slots.act2 : m.slots.act1) - m.slots.column;
  const std::int64_t rows_and_above = lowest_bit(map.row_mask());
  chunk_mask_ = std::min(all_bits_up_to_highest(map.column_mask()), rows_and_above - 1);
  bank_mask_ = chunk_mask_ & ~map.column_mask();
  bank_period_ = all_bits_up_to_highest(bank_mask_) + 1;
  closed_form_ =
      detail == Detail::row && streams_at_full_rate(m, map) &&
      (std::int64_t{1} << __builtin_popcountll(static_cast<std::uint64_t>(bank_mask_))) <= kMostRows;
  std::int64_t bits = 0;
  do {
    if (closed_form_) bank_steps_.push_back({bits, map.flat_bank(bits)});
    bits = (bits - bank_mask_) & bank_mask_;
  } while (bits != 0 && closed_form_);
  lookahead_ = window_.bursts_of_reads() * m.t.tCCD_S.count();
  long_ = kLong / m.burst_bytes();
  shortest_ = kShortest / m.burst_bytes();
}

void Channel::accept(std::int64_t cycle, Femtoseconds now, const ChannelRequest& what) {
  if (run_.active && run_.port != what.port) commit_run(cycle);
  if (pending_ == 0) {
    refreshes_without_data_ = 0;
    meter_.idle_until(now, what.op);
    wake_up(cycle);
  }
  meter_.arrives(now, what.op);
  ports_.accept(cycle, what);
  ++pending_;
  floor_ = std::max(floor_, cycle + 1);
  chosen_valid_ = false;
  feed();
}

// Moves pieces into the windows until nothing fits.
void Channel::feed() {
  if (closed_form_) {
    // One master alone: let the windows drain and do its large payloads in closed form.
    const int port = ports_.alone();
    if (port != kNone && suits_run(port) && window_.size() == window_.of_port(port)) return;
  }
  window_.fill(floor_ - 1);
}

void Channel::complete(std::int32_t index, std::int64_t cycle) {
  const PendingRequest& r = ports_[index];
  completions_.push_back({cycle, r.service, r.what.id});
  meter_.leaves(r.what.op);
  ports_.release(index);
}

Completion Channel::pop_completion() {
  const Completion c = completions_.front();
  completions_.pop_front();
  if (--pending_ == 0) {
    meter_.flush();
    idle_since_ = c.cycle;
  }
  return c;
}

void Channel::run_until(std::int64_t limit) {
  for (;;) {
    if (run_.active) {
      if (run_.last > limit) return;
      commit_run(run_.last);
      continue;
    }
    if (closed_form_ && can_run() && plan_run()) continue;
    if (!chosen_valid_) chosen_ = choose();
    chosen_valid_ = true;
    const std::int64_t due = next_due();
    if (pending_ == 0 && open_) close_before_sleep(std::min(limit, due));
    if (!chosen_valid_) continue;
    if (due <= chosen_.cycle && due <= limit) {
      if (self_refresh_before(due)) return;
      if (skip_idle_refreshes(limit)) continue;
      refresh_falls_due(due);
      continue;
    }
    if (chosen_.cycle > limit) return;
    execute(chosen_);
  }
}

std::int64_t Channel::run_to_completion(std::int64_t limit) {
  while (completions_.empty()) {
    const std::int64_t wake = std::min(wake_cycle(), limit);
    if (pending_ > 0 && wake >= kNever)
      throw InternalError("nothing can happen in the memory: " + describe());
    run_until(wake);
    if (wake == limit) return limit;
  }
  const std::int64_t end = std::min(completions_.front().cycle, limit);
  run_until(end);
  return end;
}

std::int64_t Channel::wake_cycle() {
  if (!completions_.empty()) return completions_.front().cycle;
  if (pending_ == 0) return kNever;
  const std::int64_t data = std::min(timing::read_data_end(memory_), timing::write_data_end(memory_));
  if (closed_form_ && !run_.active && can_run()) plan_run();
  if (run_.active) {
    const bool ends = ports_[run_.request].left == run_.bursts;
    const std::int64_t end = run_.write ? timing::write_data_end(memory_) : timing::read_data_end(memory_);
    return ends ? run_.last + end : run_.last + 1;
  }
  if (!chosen_valid_) chosen_ = choose();
  chosen_valid_ = true;
  return std::min(chosen_.cycle, next_due()) + data;
}

std::string Channel::describe() const {
  if (pending_ == 0) return "nothing pending";
  return fmt::format(
      "{} payloads pending, {} reads and {} writes in the window;{} next command {} in cycle {}", pending_,
      window_.size(0), window_.size(1), ports_.describe(),
      timing::kCommandNames[static_cast<std::size_t>(chosen_.command)], chosen_.cycle);
}

}  // namespace edgenpu::hardware
