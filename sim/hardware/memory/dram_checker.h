// An independent judge of command streams: it knows the rule table, the state of the banks, the command bus
// and the data bus, and nothing of any scheduler.
//
// It reports: each broken timing rule by name; ACT to an open bank, column or PRE to a closed one, a column
// to another row or before ACT-2, refresh with open rows; ACT-2 later than tAAD; two commands in one slot; a
// missing CAS slot after WCK has stopped; two bursts at once on the data bus; a rank (or bank) that is owed
// more refreshes than may be put off (8, JESD209-5B and JESD79-4). Commands must come in order of time.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "hardware/memory/channel.h"

namespace edgenpu::hardware {

class DramChecker : public CommandListener {
 public:
  explicit DramChecker(const config::Memory& memory);

  void command(std::int64_t cycle, timing::Command command, int bank, std::int64_t row,
               std::int64_t column) override;

  std::int64_t commands() const { return commands_; }
  std::int64_t violations() const { return violations_; }
  // The first few, in words.
  const std::vector<std::string>& messages() const { return messages_; }

 private:
  using Command = timing::Command;
  static constexpr std::int64_t kLongAgo = INT64_MIN / 4;

  struct Times {
    std::array<std::int64_t, 4> last{kLongAgo, kLongAgo, kLongAgo, kLongAgo};  // newest first
    void push(std::int64_t cycle);
  };
  struct BankView {
    std::int64_t row = -1, act1 = kLongAgo;
    bool activating = false;
    std::int64_t refreshes = 0;
  };

  void check_rules(std::int64_t cycle, Command command, int bank);
  void check_state(std::int64_t cycle, Command command, int bank, std::int64_t row);
  void check_buses(std::int64_t cycle, Command command, int bank);
  void check_refresh(std::int64_t cycle, Command command, int bank);
  void record(std::int64_t cycle, Command command, int bank, std::int64_t row);
  void report(std::int64_t cycle, Command command, int bank, const std::string& what);
  int group_of(int bank) const { return bank / memory_.banks_per_group; }
  int rank_of(int bank) const { return bank / memory_.banks(); }

  const config::Memory memory_;
  std::vector<timing::TimingRule> rules_;
  // [command][instance]
  std::array<std::vector<Times>, timing::kCommands> by_bank_, by_group_, by_rank_;
  std::vector<BankView> banks_;
  std::vector<std::int64_t> rank_refreshes_, wck_until_;
  std::int64_t bus_free_ = kLongAgo, data_free_ = kLongAgo, now_ = kLongAgo;
  std::int64_t commands_ = 0, violations_ = 0;
  std::vector<std::string> messages_;
};

}  // namespace edgenpu::hardware
