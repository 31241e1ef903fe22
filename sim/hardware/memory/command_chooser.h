// The next command of a channel, and when: what the scheduler picks for a request, beside what does not come from one.
//
//   refresh      what is due waits for nobody (refresher.h)
//   ACT-2        follows ACT-1 within tAAD, whatever has become of the request meanwhile
//   direction    reads or writes (write_groups.h); rows for the other one are opened where this one wants nothing
//   requests     a column and a row command (scheduler.h): the row command goes first if it fits in front
//   page policy  rows that nothing wants (page_policy.h)
//
// It changes nothing but the direction and the banks that refresh blocks.
#pragma once

#include <memory>

#include "hardware/memory/channel_meter.h"
#include "hardware/memory/command_bus.h"
#include "hardware/memory/page_policy.h"
#include "hardware/memory/refresher.h"
#include "hardware/memory/scheduler.h"
#include "hardware/memory/write_groups.h"

namespace edgenpu::hardware {

class CommandChooser {
 public:
  // The parts of the channel that it looks at outlive it.
  CommandChooser(const config::Memory& memory, const DramState& state, const CommandBus& bus,
                 const ChannelMeter& meter, RequestWindow& window, Refresher& refresher);

  Candidate choose();

 private:
  std::int64_t consider_activating(Candidate& second) const;
  void consider_policy(Candidate& row) const;
  const Candidate& pick(const Candidate& column, const Candidate& row) const;

  const config::Memory& memory_;
  const DramState& state_;
  const CommandBus& bus_;
  const ChannelMeter& meter_;
  const RequestWindow& window_;
  Refresher& refresher_;
  WriteGroups groups_;
  std::unique_ptr<Scheduler> scheduler_;
  std::unique_ptr<PagePolicy> policy_;
  std::int64_t read_data_, write_data_;  // after a column command
};

}  // namespace edgenpu::hardware
