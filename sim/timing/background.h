// Traffic beside the step (config::BackgroundTraffic): a request each period, from the start of the run on.
#pragma once

#include "config/memory.h"

namespace edgenpu::timing {

// The counter of what has arrived of it.
inline constexpr const char* kBackgroundBytes = "dram_background_B";

// An ideal memory has none: it serves everybody at once.
bool has_background(const config::Memory& memory);
Femtoseconds background_period(const config::Memory& memory);
// Up to and including `time`.
Bytes background_asked(const config::Memory& memory, Femtoseconds time);
// How far delivery may lie behind: what a line buffer holds, longer than a channel stops for refreshes that
// were put off. Assumed.
inline constexpr Femtoseconds kBackgroundLag(10'000'000'000);  // 10 us

}  // namespace edgenpu::timing
