#include "hardware/memory/background.h"

#include <algorithm>
#include <cmath>

#include "base/rates.h"

namespace edgenpu::hardware {

namespace {
constexpr std::int64_t kFrame = 8 << 20;  // a display of 1920 x 1080 in 4 B a pixel
}

BackgroundReader::BackgroundReader(sc_core::sc_module_name name, const config::Memory& memory)
    : sc_module(name),
      request_(memory.background.request.count()),
      first_(std::max<std::int64_t>(0, memory.capacity.count() - kFrame)),
      frame_(memory.capacity.count() - first_),
      period_(sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(
          std::llround(static_cast<double>(request_) / memory.background.bandwidth.count() *
                       static_cast<double>(kFemtosecondsPerSecond))))) {
  SC_HAS_PROCESS(BackgroundReader);
  SC_METHOD(tick);
  SC_METHOD(ask);
  dont_initialize();
  sensitive << again();
  SC_METHOD(arrive);
  dont_initialize();
  sensitive << due();
}

void BackgroundReader::tick() {
  ++owed_;
  ask();
  next_trigger(period_);
}

void BackgroundReader::ask() {
  while (owed_ > 0 && !waits()) {
    --owed_;
    Request request;
    request.address = first_ + at_;
    request.bytes = Bytes(request_);
    request.background = true;
    at_ = (at_ + request_) % frame_;
    offer(request);
  }
}

}  // namespace edgenpu::hardware
