#include "hardware/memory/request_ports.h"

#include <fmt/format.h>

namespace edgenpu::hardware {

RequestPorts::RequestPorts(int ports, std::int64_t depth)
    : queues_(static_cast<std::size_t>(ports)), depth_(static_cast<std::size_t>(depth)) {}

void RequestPorts::accept(std::int64_t cycle, const ChannelRequest& what) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::int32_t>(requests_.size()));
    requests_.emplace_back();
  }
  const std::int32_t index = free_.back();
  free_.pop_back();
  (*this)[index] = {what, cycle, what.burst, what.bursts, -1};
  queues_[static_cast<std::size_t>(what.port)].push_back(index);
  if (what.urgent) urgent_ = what.port;
}

int RequestPorts::alone() const {
  int found = kNone;
  for (int port = 0; port < count(); ++port) {
    if (queue(port).empty()) continue;
    if (found != kNone) return kNone;
    found = port;
  }
  return found;
}

std::string RequestPorts::describe() const {
  std::string text;
  for (int port = 0; port < count(); ++port)
    if (!queue(port).empty()) text += fmt::format(" port {}: {} payloads;", port, queue(port).size());
  return text;
}

}  // namespace edgenpu::hardware
