// The ports of one kind (reading, writing, or both) of the scratchpad's banks, with the conflicts of accesses
// that go on at the same time. Each stream (a unit, reading or writing) has one access in progress, at most
// as wide as its own path; the next one follows it.
//
// Law. An access moves at the expected rate that the accesses reserved before it leave
// (timing/bank_conflicts.h): the oldest first, so that what was promised is kept. Its end is found when it is
// reserved, piece by piece between the ends of the older ones: no events. Two accesses as wide as the banks
// follow each other.
#pragma once

#include <algorithm>
#include <vector>

#include "base/quantity.h"

namespace edgenpu::hardware {

class BankPool {
 public:
  static constexpr int kStreams = 8;

  BankPool(int banks, int ports, Bytes width, Hertz clock);
  void set_path(int stream, Bytes per_cycle);

  struct Access {
    Femtoseconds end;     // when its last byte has passed
    Femtoseconds longer;  // than alone, once its stream was free
  };
  // `bytes` offered by `stream` from `start` on.
  Access reserve(int stream, Femtoseconds start, Bytes bytes) {
    Stream& s = streams_[static_cast<std::size_t>(stream)];
    const Femtoseconds begin = std::max(start, s.until);
    if (begin > s.until) s.from = begin;
    const Femtoseconds alone(
        static_cast<std::int64_t>(static_cast<double>(bytes.count()) * s.fs_per_byte + 0.5));
    const bool met = (stream == latest_ ? second_end_ : latest_end_) > begin;
    s.until = met ? end_beside_others(stream, begin, bytes) : begin + alone;
    ended(stream, s.until);
    return {s.until, s.until - begin - alone};
  }

 private:
  struct Stream {
    double words = 0;                // per cycle
    double fs_per_byte = 0;          // alone
    Femtoseconds from{0}, until{0};  // of the access in progress, with those that it followed at once
    std::vector<double>
        bytes_per_fs;  // by the set of streams that are older, one bit each; -1: not needed yet
  };
  double rate(int stream, unsigned older);
  Femtoseconds end_beside_others(int stream, Femtoseconds begin, Bytes bytes);
  void ended(int stream, Femtoseconds end) {
    if (stream == latest_) {
      latest_end_ = end;
    } else if (end >= latest_end_) {
      second_end_ = latest_end_;
      latest_end_ = end;
      latest_ = stream;
    } else {
      second_end_ = std::max(second_end_, end);
    }
  }

  int banks_, ports_;
  double width_, femtoseconds_per_cycle_;
  std::vector<Stream> streams_;
  // The stream that is busy longest, until when, and until when any other is.
  int latest_ = -1;
  Femtoseconds latest_end_{0}, second_end_{0};
};

}  // namespace edgenpu::hardware
