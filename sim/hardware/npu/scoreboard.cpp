#include "hardware/npu/scoreboard.h"

#include <array>
#include <fmt/format.h>

namespace edgenpu::hardware {

using activity::Loss;
using lowering::Command;
using lowering::Dependency;
using lowering::Unit;
using lowering::Wait;

namespace {
constexpr std::array<const char*, lowering::kUnits> kUnitNames = {"load", "store", "matrix", "vector",
                                                                  "cores"};
std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}
std::size_t at(Unit u) {
  return static_cast<std::size_t>(u);
}
}  // namespace

Scoreboard::Scoreboard(const lowering::Program& program)
    : program_(program),
      state_(program.commands.size(), State::pending),
      waiters_(program.commands.size(), 0),
      checked_(program.commands.size(), 0),
      by_unit_(lowering::kUnits),
      head_(lowering::kUnits, 0) {
  for (std::size_t i = 0; i < program.commands.size(); ++i)
    by_unit_[at(program.commands[i].unit)].push_back(static_cast<std::int32_t>(i));
}

const Dependency* Scoreboard::blocker(int command) {
  const Command& c = program_.commands[at(command)];
  for (std::int32_t& i = checked_[at(command)]; i < c.dependencies; ++i) {
    const Dependency& d = program_.dependencies[at(c.first_dependency + i)];
    if (state_[at(d.command)] != State::done) return &d;
  }
  return nullptr;
}

void Scoreboard::queued(int command) {
  state_[at(command)] = State::queued;
}
void Scoreboard::started(int command) {
  state_[at(command)] = State::running;
}

std::uint8_t Scoreboard::finished(int command) {
  state_[at(command)] = State::done;
  ++finished_;
  const std::size_t unit = at(program_.commands[at(command)].unit);
  while (head_[unit] < by_unit_[unit].size() && state_[at(by_unit_[unit][head_[unit]])] == State::done)
    ++head_[unit];
  return waiters_[at(command)];
}

int Scoreboard::oldest_unfinished() {
  while (oldest_ < static_cast<int>(state_.size()) && state_[at(oldest_)] == State::done) ++oldest_;
  return oldest_ < static_cast<int>(state_.size()) ? oldest_ : -1;
}

int Scoreboard::head(Unit unit) const {
  return head_[at(unit)] < by_unit_[at(unit)].size() ? by_unit_[at(unit)][head_[at(unit)]] : -1;
}

int Scoreboard::ahead_of(int command) const {
  const int first = head(program_.commands[at(command)].unit);
  return first == command ? -1 : first;
}

Scoreboard::Blame Scoreboard::blame(int command) {
  // Each step goes to an unfinished command that stands earlier in the program, so the walk ends.
  while (true) {
    const Command& c = program_.commands[at(command)];
    switch (state_[at(command)]) {
      case State::running: {
        const bool moves_data = c.unit == Unit::load || c.unit == Unit::store;
        return {moves_data ? Loss::queueing : c.unit == Unit::cores ? Loss::cores : Loss::compute, c.op};
      }
      case State::pending: {
        // Not issued: the processor is at it, or stuck before a full queue, whose head is then to blame.
        const int oldest = oldest_unfinished();
        if (oldest == command || state_[at(oldest)] == State::pending) return {Loss::issue, c.op};
        command = oldest;
        break;
      }
      case State::queued: {
        const int ahead = ahead_of(command);
        if (ahead >= 0) {
          command = ahead;
          break;
        }
        const Dependency* d = blocker(command);
        if (!d) return {Loss::issue, c.op};  // about to start
        if (d->wait == Wait::order) return {Loss::dependency, c.op};
        command = d->command;
        break;
      }
      case State::done:
        return {Loss::issue, c.op};
    }
  }
}

std::string Scoreboard::describe() {
  std::string text = fmt::format("{} of {} commands finished", finished_, state_.size());
  for (std::size_t unit = 0; unit < by_unit_.size(); ++unit) {
    const int first = head(Unit(unit));
    if (first < 0) continue;
    const Dependency* d = blocker(first);
    constexpr std::array<const char*, 4> kStates = {"not issued", "queued", "running", "done"};
    text += fmt::format("\n  {}: command {} of {} is {}", kUnitNames[unit], first,
                        program_.operator_names[at(activity::index(program_.commands[at(first)].op))],
                        kStates[static_cast<std::size_t>(state_[at(first)])]);
    if (d)
      text += fmt::format(", waits for command {} ({})", d->command,
                          kUnitNames[at(program_.commands[at(d->command)].unit)]);
  }
  return text;
}

}  // namespace edgenpu::hardware
