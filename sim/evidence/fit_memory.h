// What a measurement says of its memory, held against a hardware description: whether both mean the same
// device, and a generic description brought to the stated bandwidth.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/memory.h"
#include "config/resolve.h"

namespace edgenpu::evidence {

// The memories of descriptions, each read once. Throws InputError for files that cannot be resolved.
class DescribedMemories {
 public:
  const config::Memory& of(const std::string& hardware, const std::vector<config::Override>& overrides);

 private:
  std::map<std::string, config::Memory> known_;
};

// Peaks of two devices: apart by more than power modes of one device are.
bool another_device(const config::Memory& described, double stated_GBps);

// Overrides that give a description the stated peak: as many channels of its kind as come nearest, their
// clock scaled by the rest, each with its capacity. What consumes the bandwidth (`units`: cores or
// multiprocessors of the description) grows with it, at least one.
std::vector<config::Override> scaled_to(const config::Memory& described, double stated_GBps,
                                        const std::string& units_key, std::int64_t units);

}  // namespace edgenpu::evidence
