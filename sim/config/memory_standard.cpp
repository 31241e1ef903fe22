// What a standard fixes. A description that names one and differs is of another memory: JESD209-4, JESD209-5B, JESD79-4
// and JESD79-5, on burst length, data rate to clock, and activate command. Numbers of banks, groups and bits are free:
// they are what somebody may want to vary.
#include <algorithm>
#include <fmt/format.h>

#include "config/memory_timings.h"

namespace edgenpu::config {

namespace {

struct Standard {
  const char* name;
  std::vector<int> burst_lengths, beats_per_clock;
  bool two_activates;  // ACT-1 and ACT-2
};

const Standard& fixed_by(DramStandard standard) {
  static const Standard standards[] = {{"LPDDR4", {16, 32}, {2}, true},
                                       {"LPDDR5", {16, 32}, {4, 8}, true},
                                       {"DDR4", {8}, {2}, false},
                                       {"DDR5", {16, 32}, {2}, false}};
  return standards[static_cast<std::size_t>(standard)];
}

Position position_of(const Value& section, const std::string& path) {
  const Value* value = find_path(section, path);
  return value ? value->position() : section.position();
}

}  // namespace

void check_standard(const Memory& m, const Value& section, Diagnostics& out) {
  const Standard& s = fixed_by(m.standard);
  const auto one_of = [&](const char* key, int found, const std::vector<int>& allowed) {
    if (std::find(allowed.begin(), allowed.end(), found) != allowed.end()) return;
    out.add(position_of(section, key), fmt::format("'{}': {} is not of {} ('standard'); allowed: {}", key,
                                                   found, s.name, fmt::join(allowed, ", ")));
  };
  one_of("burst_length", m.burst_length, s.burst_lengths);
  one_of("beats_per_clock", m.beats_per_clock, s.beats_per_clock);
  if ((m.slots.act2 > 0) != s.two_activates)
    out.add(position_of(section, "command_slots.act2"),
            fmt::format(
                "'command_slots.act2': {} is not of {} ('standard'), which opens a row by {}; allowed: {}",
                m.slots.act2, s.name, s.two_activates ? "two commands" : "one command",
                s.two_activates ? "1 to 8" : "0"));
  if (!s.two_activates && m.t.tAAD > Cycles(0))
    out.add(
        position_of(section, "timing.tAAD"),
        fmt::format("'tAAD': lies between two activate commands, and {} ('standard') has one; allowed: 0 CK",
                    s.name));
}

}  // namespace edgenpu::config
