// Memory timings that are written either as times ("18 ns") or as clocks ("15 CK"); times become the next
// whole number of clocks.
#pragma once

#include <optional>
#include <string>

#include "config/reader.h"

namespace edgenpu::config {

class ClockReader {
 public:
  ClockReader(MapReader& map, Hertz clock) : map_(map), clock_(clock) {}

  Cycles need(const std::string& key) { return read(key, {}); }
  Cycles with_default(const std::string& key, Cycles fallback) { return read(key, fallback); }

 private:
  Cycles read(const std::string& key, std::optional<Cycles> fallback);

  MapReader& map_;
  Hertz clock_;
};

}  // namespace edgenpu::config
