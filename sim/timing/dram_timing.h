// The timing rules of a DRAM channel: one table, used by the `burst` and `row` models and by the independent
// checker.
//
// A rule says: after command `before`, command `after` may come no earlier than `latency` CK later, if both
// go to the same bank, the same bank group, the same rank, or to different ranks of the channel (`level`).
// `count` = 4 makes it a window: it holds from the fourth-last `before` (tFAW). Times are counted from the
// first command slot of one command to the first slot of the other; the standards count to the last slot, so
// the table adds the difference.
//
// Besides the table, and checked apart: the command bus (slots), tAAD (ACT-2 at most so long after ACT-1),
// the state of the banks, and the WCK sync (a CAS slot before a column command once WCK has stopped).
//
// row_cost = false leaves only the rules of the data bus.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "config/memory.h"

namespace edgenpu::timing {

enum class Command : std::uint8_t { act1, act2, pre, pre_all, rd, wr, ref_all, ref_bank };
inline constexpr int kCommands = 8;
inline constexpr std::array<const char*, kCommands> kCommandNames = {"ACT1", "ACT2", "PREpb", "PREab",
                                                                     "RD",   "WR",   "REFab", "REFpb"};

enum class Level : std::uint8_t { bank, group, rank, other_ranks };
inline constexpr int kLevels = 4;
inline constexpr std::array<const char*, kLevels> kLevelNames = {"bank", "bank group", "rank", "other ranks"};

struct TimingRule {
  Level level;
  Command before, after;
  std::int64_t latency;
  int count = 1;
  const char* name;    // "tRCD"
  const char* source;  // where the rule (not the number) comes from
};

std::vector<TimingRule> timing_rules(const config::Memory& memory);

// Slots of the command bus that `command` takes, without a CAS.
int slots_of(const config::Memory& memory, Command command);

// First slot of a column command to the end of its burst on the data bus.
std::int64_t read_data_end(const config::Memory& memory);
std::int64_t write_data_end(const config::Memory& memory);
// First slot of a column command to the start of its burst.
std::int64_t read_data_start(const config::Memory& memory);
std::int64_t write_data_start(const config::Memory& memory);

// The table in the form that a scheduler wants: for each `before`, what it forbids and for how long.
struct Bound {
  Level level;
  Command after;
  std::int64_t latency;
};
struct RuleTable {
  explicit RuleTable(const std::vector<TimingRule>& rules);
  std::array<std::vector<Bound>, kCommands> after;
  std::int64_t four_activates = 0;  // tFAW
};

}  // namespace edgenpu::timing
