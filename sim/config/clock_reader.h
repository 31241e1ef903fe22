// Memory timings that are written either as times ("18 ns") or as clocks ("15 CK"). What must pass between two
// commands becomes the next whole number of clocks; a mean time between events stays what it is.
#pragma once

#include <optional>
#include <string>

#include "base/mean_clocks.h"
#include "config/reader.h"

namespace edgenpu::config {

class ClockReader {
 public:
  ClockReader(MapReader& map, Hertz clock) : map_(map), clock_(clock) {}

  Cycles need(const std::string& key) { return read(key, {}); }
  Cycles with_default(const std::string& key, Cycles fallback) { return read(key, fallback); }
  MeanClocks need_mean(const std::string& key) { return read_mean(key, {}); }
  MeanClocks mean_or_never(const std::string& key) { return read_mean(key, Cycles(0)); }

 private:
  // What is written as a time.
  std::optional<Femtoseconds> time(const std::string& key);
  MeanClocks read_mean(const std::string& key, std::optional<Cycles> fallback);
  Cycles read(const std::string& key, std::optional<Cycles> fallback);

  MapReader& map_;
  Hertz clock_;
};

}  // namespace edgenpu::config
