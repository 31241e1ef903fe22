// The interconnect between memory controllers and scratchpad: one width, shared by the load and the store
// DMA. The chip's CPU, where operators are placed on it, reaches the scratchpad over it too, as part of the
// same two masters (cores.h).
//
// Law. A transfer alone takes its bytes / width. Beside one of the other master
//   first_come   it follows everything that was offered before it
//   round_robin  the two take turns, a byte each: it takes twice its own time while the other lasts
//   fixed        the master of higher priority goes as if alone; the other one follows it
// A transfer that was given its end before the other came keeps it; what it should have lost is taken from
// the same master's next transfer, so that a stream of requests does not get more than the width; only what
// is in flight at its end may be early. No events.
//
// Matrix and vector engines reach the scratchpad by ports of their own (scratchpad.h), not over these wires.
#pragma once

#include <algorithm>
#include <array>

#include "config/npu.h"
#include "hardware/npu/bandwidth_server.h"
#include "lowering/program.h"

namespace edgenpu::hardware {

class Interconnect {
 public:
  Interconnect(const config::Interconnect& interconnect, Hertz clock)
      : arbitration_(interconnect.arbitration),
        store_first_(interconnect.store_first),
        times_(BytesPerSecond(static_cast<double>(interconnect.width.count()) *
                              static_cast<double>(clock.count()))) {}

  // When the last of `bytes` has passed that the load or store unit offers from `start` on.
  Femtoseconds reserve(lowering::Unit unit, Femtoseconds start, Bytes bytes) {
    if (arbitration_ != config::Arbitration::first_come) return arbitrated(unit, start, times_.of(bytes));
    return free_[0] = std::max(start, free_[0]) + times_.of(bytes);
  }

 private:
  Femtoseconds arbitrated(lowering::Unit unit, Femtoseconds start, Femtoseconds time);

  config::Arbitration arbitration_;
  bool store_first_;
  TransferTime times_;
  std::array<Femtoseconds, 2> free_{Femtoseconds(0),
                                    Femtoseconds(0)};  // [load, store]; first come: [0] for both
};

}  // namespace edgenpu::hardware
