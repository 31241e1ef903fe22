// Which direction a channel serves: reads, or a group of writes, so that the data bus turns seldom.
//
// Reads come first. A group of writes starts when nothing is left to read; when write_max bursts of them wait; when the
// oldest has waited for write_age; or at write_high, unless they would close rows that reads wait for. It runs until
// write_low bursts are left, or on where nothing is left to read.
#pragma once

#include "hardware/memory/request_window.h"

namespace edgenpu::hardware {

class WriteGroups {
 public:
  WriteGroups(const config::ControllerConfig& controller, RequestWindow& window)
      : controller_(controller), window_(window) {}

  // 0: reads are served now, 1: writes. `now` is the first free slot of the command bus.
  int direction(std::int64_t now);

 private:
  bool starts(std::int64_t now) const;
  bool disturb_reads() const;

  const config::ControllerConfig& controller_;
  RequestWindow& window_;
  bool writing_ = false;
};

}  // namespace edgenpu::hardware
