#include "lowering/ring.h"

#include <fmt/format.h>

#include "base/error.h"

namespace edgenpu::lowering {

std::vector<int> Ring::take(Bytes bytes, int occupant) {
  std::vector<int> readers;
  while (free_ < bytes) {
    if (places_.empty() || places_.front().reader < 0)
      throw InternalError(
          fmt::format("{} B would overwrite scratchpad data that nothing has read yet", bytes.count()));
    readers.push_back(places_.front().reader);
    free_ += places_.front().bytes;
    places_.pop_front();
  }
  free_ -= bytes;
  places_.push_back({bytes, occupant, -1});
  return readers;
}

bool Ring::release(int occupant, int command) {
  for (auto it = places_.rbegin(); it != places_.rend(); ++it) {
    if (it->occupant != occupant) continue;
    it->reader = command;
    return true;
  }
  return false;
}

}  // namespace edgenpu::lowering
