#include "base/checked.h"

#include <fmt/format.h>

#include "base/sanitizer_stack.h"

namespace edgenpu {

void overflow(const char* what) {
  announce_main_stack();
  throw OverflowError(fmt::format(
      "the step is too large: {} is beyond {}, the end of 64-bit integers (of times in femtoseconds: 9223 s)",
      what, INT64_MAX));
}

void time_overflow(double seconds) {
  announce_main_stack();
  throw OverflowError(fmt::format(
      "the step is too long: it takes {:.0f} s, and times are whole femtoseconds of 64 bits, at most 9223 s "
      "(2.56 hours)",
      seconds));
}

}  // namespace edgenpu
