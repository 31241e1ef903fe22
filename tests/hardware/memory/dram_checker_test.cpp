// The independent checker: silent on what the scheduler does, loud on each planted violation.
#include "hardware/memory/dram_checker.h"

#include <gtest/gtest.h>

#include "hardware/memory/memory_bench.h"
#include "hardware/memory/memory_fixture.h"

namespace edgenpu::hardware {
namespace {

using timing::Command;
using timing::Level;

// Seeded requests that mix what is easy and what is hard: streams, random lines, one bank's rows, writes,
// pauses.
class RandomTraffic : public TrafficSource {
 public:
  RandomTraffic(std::uint64_t seed, std::int64_t requests, std::int64_t capacity)
      : state_(seed * 2654435761u + 1), left_(requests), capacity_(capacity) {}
  bool next(TrafficRequest& r) override {
    if (left_-- == 0) return false;
    if (phase_left_-- == 0) {
      phase_ = below(4);
      phase_left_ = below(400);
      base_ = below(capacity_ / 64) * 64;
      write_share_ = below(3) * 40;
      if (below(8) == 0) pause_ += below(20000);
    }
    if (phase_ == 0)
      r.address = below(capacity_ / 64) * 64;
    else if (phase_ == 1)
      r.address = (base_ += 64) % capacity_;
    else if (phase_ == 2)
      r.address = (base_ + below(64) * (capacity_ / 64)) % capacity_;
    else
      r.address = (base_ + below(256) * 64) % capacity_;
    r.write = below(100) < write_share_;
    r.not_before = pause_;
    return true;
  }

 private:
  std::int64_t below(std::int64_t n) {
    state_ ^= state_ >> 12, state_ ^= state_ << 25, state_ ^= state_ >> 27;
    return static_cast<std::int64_t>((state_ * 0x2545F4914F6CDD1DULL >> 11) % static_cast<std::uint64_t>(n));
  }
  std::uint64_t state_;
  std::int64_t left_, capacity_, phase_ = 0, phase_left_ = 0, base_ = 0, write_share_ = 0, pause_ = 0;
};

struct Case {
  std::string part;
  std::vector<std::string> set;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const char* part : {"lpddr5-6400", "lpddr5x-8533", "lpddr4x-4266", "ddr4-3200", "ddr5-4800"})
    for (const char* policy : {"open", "closed", "timeout"})
      for (const char* refresh : {"ab", "pb", "none"})
        for (const char* shape : {"ranks=1", "ranks=2"}) {
          const std::string name = part;
          if (std::string(refresh) == "pb" && name.rfind("ddr", 0) == 0) continue;
          std::vector<std::string> set = {std::string("controller.page_policy=") + policy,
                                          std::string("refresh=") + refresh, shape};
          if (std::string(policy) == "timeout") set.push_back("controller.page_timeout=200 CK");
          if (std::string(shape) == "ranks=2") {
            set.push_back(name.rfind("lpddr4", 0) == 0 ? "mapping=row,rank,bank,col"
                                                       : "mapping=row,rank,bank^row,col,bg,col1");
            set.push_back("controller.postpone=8");
          }
          all.push_back({name, set});
        }
  return all;
}

TEST(DramChecker, FindsNothingInTenMillionRandomCommandsOverAllPresetsPoliciesAndRefreshModes) {
  std::int64_t commands = 0;
  std::uint64_t seed = 0;
  for (const Case& c : cases()) {
    const config::Memory m = load_memory(c.part, c.set);
    DramChecker checker(m);
    BenchOptions options;
    options.listener = [&](int) { return &checker; };
    options.window = static_cast<int>(1 + seed % 48);
    ++seed;
    const auto r = run_memory_bench(
        m, [&] { return std::make_unique<RandomTraffic>(seed, 50'000, m.capacity.count()); }, "random",
        options);
    EXPECT_EQ(r.requests, 50'000);
    std::string where = c.part;
    for (const auto& s : c.set) where += " " + s;
    EXPECT_EQ(checker.violations(), 0) << where << "\n"
                                       << (checker.messages().empty() ? "" : checker.messages()[0]);
    commands += checker.commands();
  }
  EXPECT_GE(commands, 10'000'000);
}

// A second bank that stands to bank 0 as the rule's level says.
int other_bank(const config::Memory& m, Level level) {
  switch (level) {
    case Level::bank:
      return 0;
    case Level::group:
      return 1;
    case Level::rank:
      return m.bank_groups > 1 ? m.banks_per_group : 1;
    case Level::other_ranks:
      return m.banks();
  }
  return 0;
}

bool names(const DramChecker& checker, const std::string& rule) {
  for (const std::string& message : checker.messages())
    if (message.find(rule + " (") != std::string::npos) return true;
  return false;
}

TEST(DramChecker, FindsEachRuleOfTheTableBrokenByOneCycleAndNotWhenKept) {
  for (const char* part : {"lpddr5-6400", "lpddr4x-4266", "ddr4-3200", "ddr5-4800"}) {
    const std::string mapping =
        std::string(part) == "lpddr4x-4266" ? "mapping=row,rank,bank,col" : "mapping=row,rank,bank,col,bg";
    const config::Memory m = load_memory(part, {"ranks=2", mapping, "refresh=none"});
    for (const timing::TimingRule& rule : timing::timing_rules(m))
      for (const int late : {0, 1}) {
        DramChecker checker(m);
        std::int64_t cycle = 100;
        for (int i = 0; i < rule.count; ++i) checker.command(cycle, rule.before, 0, 7, 0);
        checker.command(cycle + rule.latency - 1 + late, rule.after, other_bank(m, rule.level), 7, 0);
        EXPECT_EQ(names(checker, rule.name), late == 0)
            << part << " " << rule.name << " " << timing::kCommandNames[static_cast<std::size_t>(rule.before)]
            << " -> " << timing::kCommandNames[static_cast<std::size_t>(rule.after)];
      }
  }
}

TEST(DramState, AllowsEachCommandExactlyWhenTheRuleTableDoesAndNotACycleEarlier) {
  for (const char* part : {"lpddr5-6400", "lpddr4x-4266", "ddr4-3200", "ddr5-4800"}) {
    const std::string mapping =
        std::string(part) == "lpddr4x-4266" ? "mapping=row,rank,bank,col" : "mapping=row,rank,bank,col,bg";
    const config::Memory m = load_memory(part, {"ranks=2", mapping});
    const auto rules = timing::timing_rules(m);
    for (const timing::TimingRule& rule : rules) {
      const int bank = other_bank(m, rule.level);
      DramState state(m);
      for (int i = 0; i < rule.count; ++i) state.issue(rule.before, 0, 1000, 7);
      std::int64_t expected = 1000 + rule.latency;
      for (const timing::TimingRule& other : rules) {
        const bool applies =
            other.before == rule.before && other.after == rule.after && other.count <= rule.count &&
            (other.level == rule.level || (rule.level != Level::other_ranks && other.level == Level::rank) ||
             (rule.level == Level::bank && other.level == Level::group));
        if (applies) expected = std::max(expected, 1000 + other.latency);
      }
      EXPECT_EQ(state.earliest(rule.after, bank), expected) << part << " " << rule.name;
    }
  }
}

struct Step {
  std::int64_t cycle;
  Command command;
  int bank;
  std::int64_t row;
};

std::string first_message(const std::vector<Step>& steps,
                          const std::vector<std::string>& set = {"refresh=none"}) {
  const config::Memory m = load_memory("lpddr5-6400", set);
  DramChecker checker(m);
  for (const Step& s : steps) checker.command(s.cycle, s.command, s.bank, s.row, 0);
  return checker.messages().empty() ? "" : checker.messages()[0];
}

TEST(DramChecker, FindsPlantedViolationsOfStateBusAndRefresh) {
  const auto has = [](const std::string& message, const char* what) {
    EXPECT_NE(message.find(what), std::string::npos) << message;
  };
  EXPECT_EQ(first_message({{10, Command::act1, 0, 1}, {11, Command::act2, 0, 1}, {40, Command::rd, 0, 1}}),
            "");
  has(first_message({{10, Command::act1, 0, 1}, {90, Command::act1, 0, 2}}), "the bank is open");
  has(first_message({{10, Command::act2, 0, 1}}), "no ACT1");
  has(first_message({{10, Command::act1, 0, 1}, {19, Command::act2, 0, 1}}), "tAAD");
  has(first_message({{10, Command::rd, 0, 1}}), "the bank is closed");
  has(first_message({{10, Command::act1, 0, 1}, {40, Command::rd, 0, 1}}), "ACT2 is missing");
  has(first_message({{10, Command::act1, 0, 1}, {11, Command::act2, 0, 1}, {40, Command::rd, 0, 2}}),
      "another row");
  has(first_message({{10, Command::pre, 0, 0}}), "the bank is closed");
  has(first_message({{10, Command::act1, 0, 1}, {500, Command::ref_all, 0, 0}}), "the bank is open");
  has(first_message({{10, Command::act1, 0, 1}, {500, Command::ref_bank, 0, 0}}), "the bank is open");
  has(first_message({{10, Command::pre_all, 0, 0}, {10, Command::act1, 0, 1}}), "tRPab");
  has(first_message({{10, Command::act1, 0, 1},
                     {11, Command::act2, 0, 1},
                     {39, Command::pre, 5, 0},
                     {40, Command::rd, 0, 1}}),
      "the bank is closed");
  has(first_message({{10, Command::act1, 0, 1}, {10, Command::act1, 5, 1}}), "tRRD_S");
  has(first_message({{10, Command::act1, 0, 1}, {11, Command::act2, 0, 1}, {8, Command::rd, 0, 1}}),
      "time runs backwards");
  has(first_message({{3125 * 11, Command::act1, 0, 1}}, {"refresh=ab"}), "owed more than 8");
  has(first_message({{391 * 16 * 11, Command::act1, 0, 1}}, {"refresh=pb"}), "owed more than 8");
}

TEST(DramChecker, FindsACommandInATakenSlotAndAMissingCasSlot) {
  const config::Memory m = load_memory("ddr5-4800", {"refresh=none"});
  DramChecker taken(m);
  taken.command(10, Command::act1, 0, 1, 0);  // two slots
  taken.command(11, Command::pre_all, 0, 0, 0);
  ASSERT_FALSE(taken.messages().empty());
  EXPECT_NE(taken.messages().back().find("command bus"), std::string::npos);

  const config::Memory lp5 = load_memory("lpddr5-6400", {"refresh=none"});
  DramChecker cas(lp5);
  cas.command(10, Command::act1, 0, 1, 0);
  cas.command(11, Command::act2, 0, 1, 0);
  cas.command(29, Command::act1, 5, 1, 0);
  cas.command(30, Command::rd, 0, 1, 0);  // slot 29 is taken
  ASSERT_EQ(cas.violations(), 1);
  EXPECT_NE(cas.messages()[0].find("CAS"), std::string::npos);
}

}  // namespace
}  // namespace edgenpu::hardware
