// A part of the scratchpad that is filled in first-in, first-out order. The books of one ring while a program
// is being built: who lies there, and which command is the last to read it.
//
// A ring may take over bytes that lay in other rings before (a new division of the scratchpad): its occupants
// then wait for the last readers of exactly the bytes that they overwrite.
#pragma once

#include <deque>
#include <vector>

#include "base/quantity.h"

namespace edgenpu::lowering {

// Bytes [begin, end) of the scratchpad, read last by `reader`.
struct Occupied {
  Bytes begin, end;
  int reader;
};

class Ring {
 public:
  // `before`: what lay anywhere in the scratchpad, in any order; bytes of it that are not here do not matter.
  explicit Ring(Bytes size, Bytes begin = Bytes(0), const std::vector<Occupied>& before = {});
  Bytes size() const { return size_; }

  // Takes room for `occupant`. The commands that must have read what lay there before; each must be in the
  // program already (InternalError), otherwise an in-order command processor would deadlock.
  std::vector<int> take(Bytes bytes, int occupant);
  // `command` is the reader after which the bytes of `occupant` may be overwritten. False: not in this ring.
  bool release(int occupant, int command);

  // What lies here, for a new division. Every occupant must have its last reader (InternalError).
  void append_occupied(std::vector<Occupied>& to) const;

 private:
  struct Place {
    Bytes bytes;
    int occupant, reader;
  };
  void append_gap(Bytes bytes);
  void begin_behind_the_youngest();

  Bytes size_, begin_, free_;
  Bytes tail_{0};  // where the next occupant begins, from begin_ on
  std::deque<Place> places_;
};

}  // namespace edgenpu::lowering
