// A part of the scratchpad that is filled in first-in, first-out order. The books of one ring while a program
// is being built: who lies there, and which command is the last to read it.
#pragma once

#include <deque>
#include <vector>

#include "base/quantity.h"

namespace edgenpu::lowering {

class Ring {
 public:
  explicit Ring(Bytes size) : size_(size), free_(size) {}
  Bytes size() const { return size_; }

  // Takes room for `occupant`. The commands that must have read what lay there before; each must be in the
  // program already (InternalError), otherwise an in-order command processor would deadlock.
  std::vector<int> take(Bytes bytes, int occupant);
  // `command` is the reader after which the bytes of `occupant` may be overwritten. False: not in this ring.
  bool release(int occupant, int command);

 private:
  struct Place {
    Bytes bytes;
    int occupant, reader;
  };
  Bytes size_, free_;
  std::deque<Place> places_;
};

}  // namespace edgenpu::lowering
