// The command bus of a channel: which slot is free next, how many slots a command takes, how many commands went.
//
// Whoever sends a command takes its slots and tells the bus; a listener hears of each in order of time. Commands that a
// run in closed form stands for are counted, and told to nobody.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "timing/dram_timing.h"

namespace edgenpu::hardware {

// Sees every command as it is issued, in order of time. `column` in bursts.
class CommandListener {
 public:
  virtual ~CommandListener() = default;
  virtual void command(std::int64_t cycle, timing::Command command, int bank, std::int64_t row,
                       std::int64_t column) = 0;
};

class CommandBus {
 public:
  explicit CommandBus(const config::Memory& memory) {
    for (std::size_t c = 0; c < slots_.size(); ++c)
      slots_[c] = timing::slots_of(memory, static_cast<timing::Command>(c));
  }

  int slots(timing::Command command) const { return slots_[static_cast<std::size_t>(command)]; }
  // The first free slot.
  std::int64_t free() const { return free_; }
  void not_before(std::int64_t cycle) { free_ = std::max(free_, cycle); }
  void take(timing::Command command, std::int64_t cycle) { free_ = cycle + slots(command); }

  void tell(timing::Command command, int bank, std::int64_t cycle, std::int64_t row,
            std::int64_t column = 0) {
    ++count_;
    if (listener_) listener_->command(cycle, command, bank, row, column);
  }
  void count(std::int64_t commands) { count_ += commands; }
  std::int64_t count() const { return count_; }
  void set_listener(CommandListener* listener) { listener_ = listener; }
  bool listened() const { return listener_ != nullptr; }

 private:
  std::array<int, timing::kCommands> slots_{};
  std::int64_t free_ = 0, count_ = 0;
  CommandListener* listener_ = nullptr;
};

}  // namespace edgenpu::hardware
