#include "hardware/memory/request_window.h"

#include <algorithm>

namespace edgenpu::hardware {

RequestWindow::RequestWindow(const config::Memory& m, const timing::AddressMap& map, const DramState& state,
                             RequestPorts& ports)
    : memory_(m),
      map_(map),
      state_(state),
      ports_(ports),
      capacity_{m.controller.read_queue, m.controller.write_queue},
      of_port_(static_cast<std::size_t>(ports.count())),
      piece_bursts_(std::max<std::int64_t>(1, m.controller.slot_bytes / m.burst_bytes())) {
  for (auto& q : queues_) q.resize(static_cast<std::size_t>(state.banks()));
}

void RequestWindow::fill(std::int64_t cycle) {
  ports_.take_turns([&](int port) { return move_piece(port, cycle); });
}

bool RequestWindow::move_piece(int port, std::int64_t cycle) {
  const auto& queue = ports_.queue(port);
  if (queue.empty()) return false;
  const std::int32_t index = queue.front();
  PendingRequest& r = ports_[index];
  const std::size_t dir = r.what.write;
  const std::int64_t end = std::min(r.end(), (r.next / piece_bursts_ + 1) * piece_bursts_);
  if (size_[dir] + 1 > capacity_[dir]) return false;
  // Bursts of one row share a slot; a piece over several rows takes one slot each.
  while (r.next < end && size_[dir] < capacity_[dir]) {
    const std::int32_t bank = map_.flat_bank(r.next);
    const std::int64_t row = map_.row(r.next);
    std::int32_t n = 1;
    while (r.next + n < end && map_.flat_bank(r.next + n) == bank && map_.row(r.next + n) == row) ++n;
    add(index, n, bank, row, cycle);
    r.next += n;
  }
  if (r.next == r.end()) ports_.pop(port);
  return true;
}

std::int32_t RequestWindow::new_slot() {
  if (free_.empty()) {
    free_.push_back(static_cast<std::int32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const std::int32_t i = free_.back();
  free_.pop_back();
  return i;
}

void RequestWindow::add(std::int32_t request, std::int32_t bursts, std::int32_t bank, std::int64_t row,
                        std::int64_t cycle) {
  const std::int32_t i = new_slot();
  const PendingRequest& r = ports_[request];
  Slot& s = slot(i);
  s = {};
  s.order = order_++;
  s.burst = r.next;
  s.row = row;
  s.arrival = cycle;
  s.bank = bank;
  s.request = request;
  s.left = bursts;
  s.write = r.what.write;
  BankQueue& q = queues_[s.write][static_cast<std::size_t>(bank)];
  s.prev = q.tail;
  (q.tail == kNone ? q.head : slot(q.tail).next) = i;
  q.tail = i;
  if (q.head == i) q.head_order = s.order, q.head_arrival = s.arrival;
  if (q.hit == kNone && (state_.bank(bank).row == s.row || !memory_.row_cost)) set_hit(q, s.write, bank, i);
  waiting_[s.write] |= std::uint64_t{1} << bank;
  if (s.write && size_[1] == 0) oldest_write_ = cycle;
  ++size_[s.write];
  if (s.write) write_bursts_ += bursts;
  ++of_port_[static_cast<std::size_t>(r.what.port)];
}

inline void RequestWindow::set_hit(BankQueue& queue, std::size_t direction, int bank, std::int32_t index) {
  const std::uint64_t bit = std::uint64_t{1} << bank;
  queue.hit = index;
  if (index != kNone) queue.hit_order = slot(index).order;
  hits_[direction] = index == kNone ? hits_[direction] & ~bit : hits_[direction] | bit;
}

inline void RequestWindow::remove(std::int32_t index) {
  const Slot& s = slot(index);
  BankQueue& q = queues_[s.write][static_cast<std::size_t>(s.bank)];
  (s.prev == kNone ? q.head : slot(s.prev).next) = s.next;
  (s.next == kNone ? q.tail : slot(s.next).prev) = s.prev;
  if (s.prev == kNone && s.next != kNone) {
    q.head_order = slot(s.next).order;
    q.head_arrival = slot(s.next).arrival;
  }
  if (q.hit == index) {
    const std::int64_t row = state_.bank(s.bank).row;
    std::int32_t i = s.next;
    while (i != kNone && slot(i).row != row && memory_.row_cost) i = slot(i).next;
    set_hit(q, s.write, s.bank, i);
  }
  if (q.head == kNone) waiting_[s.write] &= ~(std::uint64_t{1} << s.bank);
  --size_[s.write];
  --of_port_[static_cast<std::size_t>(ports_[s.request].what.port)];
  free_.push_back(index);
}

bool RequestWindow::serve(std::int32_t index) {
  Slot& s = slot(index);
  const std::int64_t columns = map_.column_mask();
  s.opened = 0;
  s.burst = (((s.burst | ~columns) + 1) & columns) | (s.burst & ~columns);
  write_bursts_ -= s.write;
  if (--s.left > 0) return false;
  remove(index);
  return true;
}

void RequestWindow::find_hits(int bank) {
  const std::int64_t row = state_.bank(bank).row;
  for (std::size_t direction = 0; direction < 2; ++direction) {
    BankQueue& q = queues_[direction][static_cast<std::size_t>(bank)];
    std::int32_t i = row == kClosed ? kNone : q.head;
    while (i != kNone && slot(i).row != row) i = slot(i).next;
    set_hit(q, direction, bank, i);
  }
}

}  // namespace edgenpu::hardware
