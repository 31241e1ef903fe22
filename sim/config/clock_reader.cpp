#include "config/clock_reader.h"

#include <cmath>

#include "base/rates.h"

namespace edgenpu::config {

namespace {

constexpr std::int64_t kMaxClocks = 1'000'000'000;

Cycles ceil_clocks(Femtoseconds time, Hertz clock) {
  const Wide product = Wide{time.count()} * clock.count();
  return Cycles(static_cast<std::int64_t>((product + kFemtosecondsPerSecond - 1) / kFemtosecondsPerSecond));
}

}  // namespace

std::optional<Femtoseconds> ClockReader::time(const std::string& key) {
  const Value* value = map_.value().find(key);
  if (value && value->is_map()) value = value->find("value");
  std::string why;
  const auto m = value && value->is_scalar() ? parse_measure(value->text(), why) : std::nullopt;
  if (!m || !(m->dimension == unit::time.dimension)) return std::nullopt;
  // Times are written in decimal ("5 ns"); as whole femtoseconds they are exact again.
  return Femtoseconds(std::llround(map_.quantity(key, unit::time, {0, 1}) * 1e15));
}

Cycles ClockReader::read(const std::string& key, std::optional<Cycles> fallback) {
  if (const auto t = time(key)) return ceil_clocks(*t, clock_);
  return map_.cycles(key, {0, kMaxClocks}, fallback);
}

MeanClocks ClockReader::read_mean(const std::string& key, std::optional<Cycles> fallback) {
  if (const auto t = time(key)) return MeanClocks(*t, clock_);
  return MeanClocks(map_.cycles(key, {0, kMaxClocks}, fallback));
}

}  // namespace edgenpu::config
