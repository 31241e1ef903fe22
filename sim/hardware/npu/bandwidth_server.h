// A resource that moves bytes at a fixed rate, first come first served, with any number of bytes in progress:
// the ports of the scratchpad. Fluid: a transfer's last byte leaves when everything
// that came before it and its own bytes have gone through at the rate. Left out: bank conflicts
// (bank_pool.h).
#pragma once

#include <algorithm>

#include "base/rates.h"

namespace edgenpu::hardware {

class BandwidthServer {
 public:
  BandwidthServer(Bytes per_cycle, Hertz clock)
      : rate_(static_cast<double>(per_cycle.count()) * static_cast<double>(clock.count())) {}

  // When the last of `bytes`, offered from `start` on, has passed.
  Femtoseconds reserve(Femtoseconds start, Bytes bytes) {
    free_ = std::max(start, free_) + time_of(bytes, rate_);
    return free_;
  }

 private:
  BytesPerSecond rate_;
  Femtoseconds free_{0};
};

}  // namespace edgenpu::hardware
