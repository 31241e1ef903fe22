// The ports of one kind (reading, writing, or both) of the scratchpad's banks, with the conflicts of accesses that
// go on at the same time. Each stream (a unit, reading or writing) has one access in progress, at most as wide as
// its own path; the next one follows it.
//
// Law. An access moves at the expected rate that the accesses reserved before it leave (timing/bank_conflicts.h):
// the oldest first, so that what was promised is kept. Its end is found when it is reserved, piece by piece
// between the ends of the older ones: no events. Two accesses as wide as the banks follow each other.
#pragma once

#include <vector>

#include "base/quantity.h"

namespace edgenpu::hardware {

class BankPool {
 public:
  static constexpr int kStreams = 8;

  BankPool(int banks, int ports, Bytes width, Hertz clock);
  void set_path(int stream, Bytes per_cycle);

  // When the last of `bytes`, offered by `stream` from `start` on, has passed.
  Femtoseconds reserve(int stream, Femtoseconds start, Bytes bytes);
  Femtoseconds free_from(int stream) const { return streams_[static_cast<std::size_t>(stream)].until; }
  // How long an access takes alone.
  Femtoseconds alone(int stream, Bytes bytes) const;

 private:
  struct Stream {
    double words = 0;                 // per cycle
    Femtoseconds from{0}, until{0};   // of the access in progress, with those that it followed at once
    std::vector<double> bytes_per_fs; // by the set of streams that are older, one bit each; -1: not needed yet
  };
  double rate(int stream, unsigned older);

  int banks_, ports_;
  double width_, femtoseconds_per_cycle_;
  std::vector<Stream> streams_;
};

}  // namespace edgenpu::hardware
