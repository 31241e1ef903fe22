#include "config/clock_reader.h"

#include <cmath>

#include "base/rates.h"

namespace edgenpu::config {

namespace {

constexpr std::int64_t kMaxClocks = 1'000'000'000;

Cycles ceil_clocks(double seconds, Hertz clock) {
  // Times are written in decimal ("5 ns"); as whole femtoseconds they are exact again.
  const auto fs = static_cast<unsigned __int128>(std::llround(seconds * 1e15));
  const auto product = fs * static_cast<unsigned __int128>(clock.count());
  const auto second = static_cast<unsigned __int128>(kFemtosecondsPerSecond);
  return Cycles(static_cast<std::int64_t>((product + second - 1) / second));
}

}  // namespace

Cycles ClockReader::read(const std::string& key, std::optional<Cycles> fallback) {
  const Value* value = map_.value().find(key);
  if (value && value->is_map()) value = value->find("value");
  std::string why;
  const auto m = value && value->is_scalar() ? parse_measure(value->text(), why) : std::nullopt;
  if (m && m->dimension == unit::time.dimension) {
    const double seconds = map_.quantity(key, unit::time, {0, 1});
    return ceil_clocks(seconds, clock_);
  }
  return map_.cycles(key, {0, kMaxClocks}, fallback);
}

}  // namespace edgenpu::config
