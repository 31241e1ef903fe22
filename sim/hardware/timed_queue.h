// Things that will be due at known instants, delivered to a SystemC process in time order (first in, first
// out among equals). One event is pending at a time, however many things wait.
#pragma once

#include <cstdint>
#include <queue>
#include <systemc>
#include <utility>
#include <vector>

#include "hardware/clock_domain.h"

namespace edgenpu::hardware {

template <class Item>
class TimedQueue {
 public:
  void push(Femtoseconds due, Item item) {
    queue_.push({due, sequence_++, std::move(item)});
    event_.notify(to_sc(queue_.top().due - now_fs()));  // the earlier of two notifications wins
  }
  // Takes what is due now into `item`; arms the event for the rest.
  bool pop_due(Item& item) {
    if (queue_.empty()) return false;
    if (queue_.top().due > now_fs()) {
      event_.notify(to_sc(queue_.top().due - now_fs()));
      return false;
    }
    item = queue_.top().item;
    queue_.pop();
    return true;
  }
  const sc_core::sc_event& event() const { return event_; }
  std::size_t size() const { return queue_.size(); }

 private:
  struct Entry {
    Femtoseconds due;
    std::uint64_t sequence;
    Item item;
    bool operator<(const Entry& o) const { return due != o.due ? due > o.due : sequence > o.sequence; }
  };
  std::priority_queue<Entry> queue_;
  std::uint64_t sequence_ = 0;
  sc_core::sc_event event_;
};

}  // namespace edgenpu::hardware
