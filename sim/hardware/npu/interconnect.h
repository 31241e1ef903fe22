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
// Within a master, data of its oldest descriptor in progress pass those of younger ones that still wait, as
// requests of the oldest are sent first (dma.h): otherwise a faster memory, from whose channels younger data
// come earlier, would hold up the descriptor that the engines wait for. What younger ones were given stays;
// what comes after it is that much later. A descriptor that becomes the oldest passes nobody who is in the
// queue.
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

  // Whose data: of a master's oldest descriptor, of a younger one, or of one that has just become the oldest.
  enum class Age { oldest, younger, new_oldest };
  // When the last of `bytes` has passed that the load or store unit offers from `start` on.
  Femtoseconds reserve(lowering::Unit unit, Femtoseconds start, Bytes bytes, Age age = Age::younger) {
    const Femtoseconds time = times_.of(bytes);
    const Femtoseconds end = arbitration_ == config::Arbitration::first_come
                                 ? free_[0] = std::max(start, free_[0]) + time
                                 : arbitrated(unit, start, time);
    Younger& younger = younger_[unit == lowering::Unit::store ? 1 : 0];
    if (end - start > time) return younger.order(start, time, end, age);
    // Nobody waits, so a younger transfer begins at once.
    younger = age == Age::younger ? Younger{time, start} : Younger{Femtoseconds(0), end};
    return end;
  }

 private:
  // Time that data of younger descriptors of a master take which have not passed yet.
  struct Younger {
    Femtoseconds waits, seen;
    // The end of a transfer whose master is done with everything at `end`.
    Femtoseconds order(Femtoseconds start, Femtoseconds time, Femtoseconds end, Age age);
  };
  Femtoseconds arbitrated(lowering::Unit unit, Femtoseconds start, Femtoseconds time);

  config::Arbitration arbitration_;
  bool store_first_;
  TransferTime times_;
  std::array<Femtoseconds, 2> free_{Femtoseconds(0),
                                    Femtoseconds(0)};  // [load, store]; first come: [0] for both
  std::array<Younger, 2> younger_{{{Femtoseconds(0), Femtoseconds(0)}, {Femtoseconds(0), Femtoseconds(0)}}};
};

}  // namespace edgenpu::hardware
