// The requests among which a channel schedules: a read and a write window of slots, each with some bursts of one
// request in one row, sorted by bank.
//
// fill() moves pieces of at most controller.slot_bytes from the ports until nothing fits; a piece over several rows
// takes one slot each. A hit is the oldest slot of a bank and direction for the row that is open there; whoever opens
// or closes a row says so with find_hits(). Without row_cost every slot is a hit. Directions: 0 reads, 1 writes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "config/memory.h"
#include "hardware/memory/dram_state.h"
#include "hardware/memory/request_ports.h"
#include "timing/dram_address.h"

namespace edgenpu::hardware {

class RequestWindow {
 public:
  // `memory`, `map`, `state` and `ports` outlive it.
  RequestWindow(const config::Memory& memory, const timing::AddressMap& map, const DramState& state,
                RequestPorts& ports);

  struct Slot {
    std::int64_t order = 0, burst = 0, row = 0, arrival = 0;
    std::int32_t bank = 0, request = 0, left = 0, prev = kNone, next = kNone;
    std::int8_t opened = 0;  // 0 hit so far, 1 its row was opened for it, 2 after closing another
    bool write = false;
  };
  // The slots of one bank and direction, oldest first; `hit` is the oldest one for the open row.
  struct BankQueue {
    std::int32_t head = kNone, tail = kNone, hit = kNone;
    std::int64_t head_order = 0, head_arrival = 0, hit_order = 0;  // copies, close at hand
  };

  void fill(std::int64_t cycle);
  void find_hits(int bank);
  // A burst of the slot has its column command. True if it was the last one: the slot is gone.
  bool serve(std::int32_t index);

  Slot& slot(std::int32_t index) { return slots_[static_cast<std::size_t>(index)]; }
  const Slot& slot(std::int32_t index) const { return slots_[static_cast<std::size_t>(index)]; }
  const BankQueue* queues(int direction) const { return queues_[static_cast<std::size_t>(direction)].data(); }
  const BankQueue& queue(int direction, int bank) const { return queues(direction)[bank]; }
  // A bit per bank with slots, and with a hit.
  std::uint64_t waiting(int direction) const { return waiting_[static_cast<std::size_t>(direction)]; }
  std::uint64_t waiting() const { return waiting_[0] | waiting_[1]; }
  std::uint64_t hits(int direction) const { return hits_[static_cast<std::size_t>(direction)]; }

  std::int64_t size(int direction) const { return size_[static_cast<std::size_t>(direction)]; }
  std::int64_t size() const { return size_[0] + size_[1]; }
  // Slots of a port, in both directions.
  std::int64_t of_port(int port) const { return of_port_[static_cast<std::size_t>(port)]; }
  std::int64_t bursts_of_reads() const { return capacity_[0] * piece_bursts_; }  // that fit
  // Slots filled so far.
  std::int64_t filled() const { return order_; }
  // Of the write window: its bursts, and when its first slot came.
  std::int64_t write_bursts() const { return write_bursts_; }
  std::int64_t oldest_write() const { return oldest_write_; }
  // After a group of writes the age of those that remain counts anew.
  void restart_write_age(std::int64_t cycle) { oldest_write_ = cycle; }

 private:
  bool move_piece(int port, std::int64_t cycle);
  void add(std::int32_t request, std::int32_t bursts, std::int32_t bank, std::int64_t row,
           std::int64_t cycle);
  void remove(std::int32_t index);
  std::int32_t new_slot();
  void set_hit(BankQueue& queue, std::size_t direction, int bank, std::int32_t slot);

  const config::Memory& memory_;
  const timing::AddressMap& map_;
  const DramState& state_;
  RequestPorts& ports_;
  std::vector<Slot> slots_;
  std::vector<std::int32_t> free_;
  std::array<std::vector<BankQueue>, 2> queues_;
  std::array<std::uint64_t, 2> waiting_{}, hits_{};
  std::array<std::int64_t, 2> size_{}, capacity_;
  std::vector<std::int64_t> of_port_;
  std::int64_t write_bursts_ = 0, oldest_write_ = 0;
  std::int64_t piece_bursts_;
  std::int64_t order_ = 0;
};

}  // namespace edgenpu::hardware
