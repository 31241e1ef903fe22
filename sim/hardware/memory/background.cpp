#include "hardware/memory/background.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/error.h"
#include "base/rates.h"

namespace edgenpu::hardware {

namespace {
constexpr std::int64_t kFrame = 8 << 20;  // a display of 1920 x 1080 in 4 B a pixel
// A run in which the step starves would never end. Assumed.
constexpr int kMostLags = 10;
// So many that the pause in which it looks is nothing beside them.
constexpr std::int64_t kLookAfter = 1 << 16;
}  // namespace

BackgroundReader::BackgroundReader(sc_core::sc_module_name name, const config::Memory& memory,
                                   const MemorySystem& system)
    : sc_module(name),
      memory_(memory),
      system_(system),
      request_(memory.background.request.count()),
      first_(std::max<std::int64_t>(0, memory.capacity.count() - kFrame)),
      frame_(memory.capacity.count() - first_),
      period_(timing::background_period(memory)),
      most_behind_(memory.background.request +
                   timing::background_asked(memory, timing::kBackgroundLag * kMostLags)) {
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
  if (alone()) return;
  ask();
  if (behind(now_fs()) > most_behind_) return sc_core::sc_stop();
  next_trigger(to_sc(period_));
}

Bytes BackgroundReader::behind(Femtoseconds time) const {
  return timing::background_asked(memory_, time) - arrived_;
}

void BackgroundReader::check_served(Femtoseconds end) const {
  const Bytes late = timing::background_asked(memory_, timing::kBackgroundLag);
  if (behind(end) <= late) return;
  throw InfeasibleError(
      fmt::format("memory.background.bandwidth asks for {} B in {:.6g} s, the memory delivers {} B before "
                  "everything else: "
                  "{} B behind, {} B may be (a line buffer of {:.6g} s)",
                  timing::background_asked(memory_, end).count(), to_seconds(end).count(), arrived_.count(),
                  behind(end).count(), late.count(), to_seconds(timing::kBackgroundLag).count()));
}

// Whether nothing else can happen any more: its own next request is not yet scheduled.
bool BackgroundReader::alone() {
  if (system_.step_requests() != step_requests_) since_ = 0;
  step_requests_ = system_.step_requests();
  looking_ = since_ >= kLookAfter;
  if (!looking_ || in_flight_ > 0) return false;
  since_ = 0;
  looking_ = false;
  return !sc_core::sc_pending_activity();
}

void BackgroundReader::ask() {
  while (owed_ > 0 && !waits() && !looking_) {
    --owed_;
    ++since_;
    ++in_flight_;
    Request request;
    request.address = first_ + at_;
    request.bytes = Bytes(request_);
    request.background = true;
    at_ = (at_ + request_) % frame_;
    offer(request);
  }
}

}  // namespace edgenpu::hardware
