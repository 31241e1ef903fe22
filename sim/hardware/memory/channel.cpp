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
      ports_(static_cast<std::size_t>(ports)),
      port_queue_(static_cast<std::size_t>(m.controller.port_queue)),
      port_slots_(static_cast<std::size_t>(ports)),
      window_size_{m.controller.read_queue, m.controller.write_queue},
      piece_bursts_(std::max<std::int64_t>(1, m.controller.slot_bytes / m.burst_bytes())),
      refresh_(static_cast<std::size_t>(m.ranks)),
      schedule_(m) {
  if (state_.banks() > 64) throw InternalError("a channel of more than 64 banks");
  for (auto& q : queues_) q.resize(static_cast<std::size_t>(state_.banks()));
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
  lookahead_ = window_size_[0] * piece_bursts_ * m.t.tCCD_S.count();
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
  std::int32_t index;
  if (free_requests_.empty()) {
    index = static_cast<std::int32_t>(requests_.size());
    requests_.emplace_back();
  } else {
    index = free_requests_.back();
    free_requests_.pop_back();
  }
  requests_[static_cast<std::size_t>(index)] = {what, cycle, what.burst, what.bursts, -1};
  ports_[static_cast<std::size_t>(what.port)].push_back(index);
  if (what.urgent) urgent_ = what.port;
  ++pending_;
  floor_ = std::max(floor_, cycle + 1);
  chosen_valid_ = false;
  feed();
}

int Channel::busy_ports() const {
  int busy = 0;
  for (const auto& port : ports_) busy += !port.empty();
  return busy;
}

// Moves pieces into the windows, one from each port in turn, until nothing fits.
void Channel::feed() {
  if (closed_form_ && busy_ports() == 1) {
    // One master alone: let the windows drain and do its large payloads in closed form.
    const auto port = std::find_if(ports_.begin(), ports_.end(), [](const auto& p) { return !p.empty(); });
    const auto p = static_cast<std::size_t>(port - ports_.begin());
    if (suits_run(static_cast<int>(p)) && window_[0] + window_[1] == port_slots_[p]) return;
  }
  const std::int64_t cycle = floor_ - 1;
  while (urgent_ != kNone && feed_piece(urgent_, cycle)) {
  }
  const int ports = static_cast<int>(ports_.size());
  for (int refused = 0; refused < ports;) {
    refused = feed_piece(turn_, cycle) ? 0 : refused + 1;
    turn_ = turn_ + 1 == ports ? 0 : turn_ + 1;
  }
}

bool Channel::feed_piece(int port, std::int64_t cycle) {
  auto& queue = ports_[static_cast<std::size_t>(port)];
  if (queue.empty()) return false;
  const std::int32_t index = queue.front();
  Request& r = requests_[static_cast<std::size_t>(index)];
  const std::size_t dir = r.what.write;
  const std::int64_t end =
      std::min(r.what.burst + r.what.bursts, (r.next / piece_bursts_ + 1) * piece_bursts_);
  if (window_[dir] + 1 > window_size_[dir]) return false;
  // Bursts of one row share a slot; a piece over several rows takes one slot each.
  while (r.next < end && window_[dir] < window_size_[dir]) {
    const std::int32_t bank = map_.flat_bank(r.next);
    const std::int64_t row = map_.row(r.next);
    std::int32_t n = 1;
    while (r.next + n < end && map_.flat_bank(r.next + n) == bank && map_.row(r.next + n) == row) ++n;
    add_slot(r, index, r.next, n, bank, cycle);
    r.next += n;
  }
  if (r.next == r.what.burst + r.what.bursts) queue.pop_front();
  return true;
}

void Channel::add_slot(Request& request, std::int32_t index, std::int64_t burst, std::int32_t bursts,
                       std::int32_t bank, std::int64_t cycle) {
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::int32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const std::int32_t i = free_slots_.back();
  free_slots_.pop_back();
  Slot& s = slots_[static_cast<std::size_t>(i)];
  after_long_ = false;
  s = {};
  s.order = order_++;
  s.burst = burst;
  s.row = map_.row(burst);
  s.arrival = cycle;
  s.bank = bank;
  s.request = index;
  s.left = bursts;
  s.write = request.what.write;
  BankQueue& q = queues_[s.write][static_cast<std::size_t>(bank)];
  s.prev = q.tail;
  (q.tail == kNone ? q.head : slots_[static_cast<std::size_t>(q.tail)].next) = i;
  q.tail = i;
  if (q.head == i) q.head_order = s.order, q.head_arrival = s.arrival;
  if (q.hit == kNone && (state_.bank(bank).row == s.row || !memory_.row_cost)) set_hit(q, s.write, bank, i);
  waiting_[s.write] |= std::uint64_t{1} << bank;
  if (s.write && window_[1] == 0) oldest_write_ = cycle;
  ++window_[s.write];
  if (s.write) write_bursts_ += bursts;
  ++port_slots_[static_cast<std::size_t>(request.what.port)];
}

void Channel::remove_slot(std::int32_t index) {
  Slot& s = slots_[static_cast<std::size_t>(index)];
  BankQueue& q = queues_[s.write][static_cast<std::size_t>(s.bank)];
  (s.prev == kNone ? q.head : slots_[static_cast<std::size_t>(s.prev)].next) = s.next;
  (s.next == kNone ? q.tail : slots_[static_cast<std::size_t>(s.next)].prev) = s.prev;
  if (s.prev == kNone && s.next != kNone) {
    q.head_order = slots_[static_cast<std::size_t>(s.next)].order;
    q.head_arrival = slots_[static_cast<std::size_t>(s.next)].arrival;
  }
  if (q.hit == index) {
    const std::int64_t row = state_.bank(s.bank).row;
    std::int32_t i = s.next;
    while (i != kNone && slots_[static_cast<std::size_t>(i)].row != row && memory_.row_cost)
      i = slots_[static_cast<std::size_t>(i)].next;
    set_hit(q, s.write, s.bank, i);
  }
  if (q.head == kNone) waiting_[s.write] &= ~(std::uint64_t{1} << s.bank);
  --window_[s.write];
  --port_slots_[static_cast<std::size_t>(requests_[static_cast<std::size_t>(s.request)].what.port)];
  free_slots_.push_back(index);
}

void Channel::set_hit(BankQueue& queue, int write, int bank, std::int32_t slot) {
  const std::uint64_t bit = std::uint64_t{1} << bank;
  queue.hit = slot;
  if (slot != kNone) queue.hit_order = slots_[static_cast<std::size_t>(slot)].order;
  if (slot == kNone)
    hits_[static_cast<std::size_t>(write)] &= ~bit;
  else
    hits_[static_cast<std::size_t>(write)] |= bit;
}

void Channel::find_hits(int bank) {
  const std::int64_t row = state_.bank(bank).row;
  for (int write = 0; write < 2; ++write) {
    BankQueue& q = queues_[static_cast<std::size_t>(write)][static_cast<std::size_t>(bank)];
    std::int32_t i = row == kClosed ? kNone : q.head;
    while (i != kNone && slots_[static_cast<std::size_t>(i)].row != row)
      i = slots_[static_cast<std::size_t>(i)].next;
    set_hit(q, write, bank, i);
  }
}

void Channel::complete(std::int32_t index, std::int64_t cycle) {
  const Request& r = requests_[static_cast<std::size_t>(index)];
  completions_.push_back({cycle, r.service, r.what.id});
  meter_.leaves(r.what.op);
  free_requests_.push_back(index);
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
    const bool ends = requests_[static_cast<std::size_t>(run_.request)].left == run_.bursts;
    const std::int64_t end = run_.write ? timing::write_data_end(memory_) : timing::read_data_end(memory_);
    return ends ? run_.last + end : run_.last + 1;
  }
  if (!chosen_valid_) chosen_ = choose();
  chosen_valid_ = true;
  return std::min(chosen_.cycle, next_due()) + data;
}

std::string Channel::describe() const {
  if (pending_ == 0) return "nothing pending";
  std::string ports;
  for (std::size_t p = 0; p < ports_.size(); ++p)
    if (!ports_[p].empty()) ports += fmt::format(" port {}: {} payloads;", p, ports_[p].size());
  return fmt::format(
      "{} payloads pending, {} reads and {} writes in the window;{} next command {} in cycle {}", pending_,
      window_[0], window_[1], ports, timing::kCommandNames[static_cast<std::size_t>(chosen_.command)],
      chosen_.cycle);
}

}  // namespace edgenpu::hardware
