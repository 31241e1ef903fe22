// A resource that moves bytes at a fixed rate, first come first served, with any number of bytes in progress:
// the ports of the scratchpad. Fluid: a transfer's last byte leaves when everything
// that came before it and its own bytes have gone through at the rate. Left out: bank conflicts
// (bank_pool.h).
#pragma once

#include <algorithm>

#include "base/rates.h"

namespace edgenpu::hardware {

// The time of a number of bytes at a rate. Requests are mostly of one size: its time is kept.
class TransferTime {
 public:
  explicit TransferTime(BytesPerSecond rate) : rate_(rate) {}
  Femtoseconds of(Bytes bytes) {
    if (bytes == bytes_) return time_;
    bytes_ = bytes;
    return time_ = time_of(bytes, rate_);
  }

 private:
  BytesPerSecond rate_;
  Bytes bytes_{0};
  Femtoseconds time_{0};
};

class BandwidthServer {
 public:
  BandwidthServer(Bytes per_cycle, Hertz clock)
      : times_(BytesPerSecond(static_cast<double>(per_cycle.count()) * static_cast<double>(clock.count()))) {}

  // When the last of `bytes`, offered from `start` on, has passed.
  Femtoseconds reserve(Femtoseconds start, Bytes bytes) {
    return free_ = std::max(start, free_) + times_.of(bytes);
  }

 private:
  TransferTime times_;
  Femtoseconds free_{0};
};

}  // namespace edgenpu::hardware
