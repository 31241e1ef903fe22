// First ready, first come, first served (Rixner et al., ISCA 2000): of the commands that could go, the one that can go
// first; of those that can go in the same cycle, that of the oldest request.
//
// A request older than controller.starvation is no longer overtaken in its bank: the open row is closed for it,
// whatever hits there.
#pragma once

#include "hardware/memory/scheduler.h"

namespace edgenpu::hardware {

class FrFcfs final : public Scheduler {
 public:
  FrFcfs(const config::Memory& memory, const DramState& state, const RequestWindow& window)
      : memory_(memory), state_(state), window_(window) {}

  void columns(const Requests& hits, Candidate& column, Candidate& row) const override;
  void rows(const Requests& misses, Priority priority, std::int64_t limit, Candidate& row) const override;

 private:
  template <timing::Command command>
  void consider_row(const Requests& requests, Priority priority, Candidate& row) const;

  const config::Memory& memory_;
  const DramState& state_;
  const RequestWindow& window_;
};

}  // namespace edgenpu::hardware
