// Which of the requests in the window gets the next command: the order in which a channel serves them.
//
// A scheduler picks among candidates: column commands of banks with a hit, and the row commands that banks without one
// need (ACT-1 where no row is open, PRE where another one is). What it names must be allowed when it names it: no
// earlier than DramState::earliest() of the command and the first free slot of the command bus. It decides nothing
// about refresh, ACT-2, the direction, or rows that nothing wants: the command chooser does (command_chooser.h), which
// calls it a few times per command.
//
// To add one, derive from Scheduler in a file of its own and name it in make_scheduler().
#pragma once

#include <cstdint>
#include <memory>

#include "hardware/memory/candidate.h"
#include "hardware/memory/request_window.h"

namespace edgenpu::hardware {

class Scheduler {
 public:
  virtual ~Scheduler() = default;

  // The requests of one direction (0 reads, 1 writes) in `banks`, a bit per bank; from slot `free` of the bus on.
  struct Requests {
    int direction;
    std::uint64_t banks;
    std::int64_t free;
  };
  // Puts the column command of a hit into `column`. All banks have one. A bank whose oldest request may be
  // overtaken no longer gets none: its row is closed instead, by `row`, if that goes before what stands there.
  virtual void columns(const Requests& hits, Candidate& column, Candidate& row) const = 0;
  // Puts a row command for a bank that has no hit into `row`, if it goes before what stands there and no later than
  // `limit`; no bank is between ACT-1 and ACT-2.
  virtual void rows(const Requests& misses, Priority priority, std::int64_t limit, Candidate& row) const = 0;
};

// `memory`, `state` and `window` outlive it.
std::unique_ptr<Scheduler> make_scheduler(const config::Memory& memory, const DramState& state,
                                          const RequestWindow& window);

}  // namespace edgenpu::hardware
