// A command that a channel could send, and when: what the parts of its controller (command_chooser.h) propose.
//
// Of two, the one that can go earlier goes first; of those that can go in the same cycle, by priority and then the
// older one.
#pragma once

#include <cstdint>

#include "hardware/memory/dram_state.h"
#include "hardware/memory/request_ports.h"

namespace edgenpu::hardware {

// Among row commands that could go in the same cycle: for refresh, an ACT-2, for a request of the direction that is
// served, for one of the other direction, for the page policy.
enum class Priority { refresh, second_activate, request, prepare, policy };

struct Candidate {
  std::int64_t cycle = kNever, order = kNever;
  int bank = kNone;
  Priority priority = Priority::refresh;
  timing::Command command = timing::Command::rd;
  bool cas = false;    // a slot for CAS goes in front
  bool write = false;  // the direction of the request that it is for

  bool before(const Candidate& other) const {
    if (cycle != other.cycle) return cycle < other.cycle;
    if (priority != other.priority) return priority < other.priority;
    return order < other.order;
  }
};

}  // namespace edgenpu::hardware
