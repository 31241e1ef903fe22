#include "timing/background.h"

#include <cmath>

#include "base/rates.h"

namespace edgenpu::timing {

bool has_background(const config::Memory& m) {
  return !m.ideal && m.background.bandwidth > BytesPerSecond(0);
}

Femtoseconds background_period(const config::Memory& m) {
  return Femtoseconds(
      truncated(std::round(static_cast<double>(m.background.request.count()) /
                           m.background.bandwidth.count() * static_cast<double>(kFemtosecondsPerSecond))));
}

Bytes background_asked(const config::Memory& m, Femtoseconds time) {
  return m.background.request * (1 + time.count() / background_period(m).count());
}

}  // namespace edgenpu::timing
