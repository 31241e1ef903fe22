// The payloads that masters have handed to a channel. Each master has a port, a queue from which its payloads move
// piece by piece into the window (request_window.h).
//
// A port takes `depth` payloads that have not been moved fully. The urgent port moves first; the others take turns,
// a piece each. A request keeps its index from accept() to release(), which is when its last burst has been sent:
// long after it has left its port.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "activity/operators.h"

namespace edgenpu::hardware {

inline constexpr std::int32_t kNone = -1;

struct ChannelRequest {
  std::int32_t id = 0;  // the caller's
  int port = 0;
  bool write = false;
  bool urgent = false;  // its port goes before all others; at most one port is so
  activity::OperatorId op{0};
  std::int64_t burst = 0;  // first, channel-local
  std::int64_t bursts = 1;
};

struct PendingRequest {
  ChannelRequest what;
  std::int64_t arrival = 0;
  std::int64_t next = 0;  // first burst that is not yet in the window
  std::int64_t left = 0;  // bursts without a column command
  std::int64_t service = -1;

  std::int64_t end() const { return what.burst + what.bursts; }
};

class RequestPorts {
 public:
  RequestPorts(int ports, std::int64_t depth);

  bool has_room(int port) const { return queue(port).size() < depth_; }
  void accept(std::int64_t cycle, const ChannelRequest& what);
  void release(std::int32_t index) { free_.push_back(index); }

  PendingRequest& operator[](std::int32_t index) { return requests_[static_cast<std::size_t>(index)]; }
  const PendingRequest& operator[](std::int32_t index) const {
    return requests_[static_cast<std::size_t>(index)];
  }

  // Not fully moved, oldest first.
  const std::deque<std::int32_t>& queue(int port) const { return queues_[static_cast<std::size_t>(port)]; }
  void pop(int port) { queues_[static_cast<std::size_t>(port)].pop_front(); }
  int count() const { return static_cast<int>(queues_.size()); }
  // The port that alone has something in its queue; kNone if none has, or several.
  int alone() const;

  // Calls `move(port)`, which says whether it moved a piece, until no port moves any.
  template <class Move>
  void take_turns(Move move) {
    while (urgent_ != kNone && move(urgent_)) {
    }
    const int n = count();
    for (int refused = 0; refused < n;) {
      refused = move(turn_) ? 0 : refused + 1;
      turn_ = turn_ + 1 == n ? 0 : turn_ + 1;
    }
  }

  std::string describe() const;

 private:
  std::vector<std::deque<std::int32_t>> queues_;
  std::size_t depth_;
  int turn_ = 0, urgent_ = kNone;
  std::vector<PendingRequest> requests_;
  std::vector<std::int32_t> free_;
};

}  // namespace edgenpu::hardware
