// The closed form against a simulation of the banks cycle by cycle, and its growth.
#include "timing/bank_conflicts.h"

#include <cmath>
#include <gtest/gtest.h>

namespace edgenpu::timing {
namespace {

struct Random {
  std::uint64_t state = 1;
  std::int64_t below(std::int64_t n) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::int64_t>(state >> 33) % n;
  }
};

// Words per cycle of the last of `widths`; each access presents consecutive words from a random bank on, the
// oldest first.
double drawn_each_cycle(std::int64_t banks, std::int64_t ports, const std::vector<std::int64_t>& widths) {
  constexpr int kCycles = 100'000;
  Random random;
  std::int64_t served = 0;
  for (int cycle = 0; cycle < kCycles; ++cycle) {
    std::vector<std::int64_t> used(static_cast<std::size_t>(banks), 0);
    for (std::size_t a = 0; a < widths.size(); ++a) {
      const std::int64_t first = random.below(banks);
      for (std::int64_t w = 0; w < widths[a]; ++w) {
        std::int64_t& bank = used[static_cast<std::size_t>((first + w) % banks)];
        if (bank == ports) continue;
        ++bank;
        served += a + 1 == widths.size();
      }
    }
  }
  return static_cast<double>(served) / kCycles;
}

TEST(BankConflicts, AreThoseOfASimulationCycleByCycle) {
  struct Case {
    std::int64_t banks, ports;
    std::vector<std::int64_t> widths;
  };
  const std::vector<Case> cases = {
      {32, 1, {1, 1}},   {32, 1, {18, 2}},  {32, 1, {2, 18}},    {8, 1, {4, 4, 4}}, {32, 1, {8, 8, 8, 8}},
      {8, 2, {4, 4, 4}}, {8, 2, {6, 6, 6}}, {16, 2, {16, 8, 8}}, {8, 2, {12, 5}},   {4, 3, {3, 3, 3, 3}},
  };
  for (const Case& c : cases) {
    const std::vector<double> older(c.widths.begin(), c.widths.end() - 1);
    const double expected = expected_words(c.banks, c.ports, static_cast<double>(c.widths.back()), older);
    EXPECT_NEAR(drawn_each_cycle(c.banks, c.ports, c.widths), expected, 0.01 * expected)
        << c.banks << " banks, " << c.widths.size() << " accesses";
  }
}

TEST(BankConflicts, OfSingleWordsAddUpToStreckersBandwidth) {
  for (const std::int64_t banks : {4, 32}) {
    double sum = 0;
    std::vector<double> older;
    for (int n = 1; n <= 16; ++n) {
      sum += expected_words(banks, 1, 1, older);
      older.push_back(1);
      const double m = static_cast<double>(banks);
      EXPECT_NEAR(sum, m * (1 - std::pow(1 - 1 / m, n)), 1e-9);
    }
  }
}

TEST(BankConflicts, NeedTwo) {
  EXPECT_DOUBLE_EQ(expected_words(32, 1, 18, {}), 18);
  EXPECT_DOUBLE_EQ(expected_words(32, 1, 64, {}), 32) << "no more than there are banks";
  EXPECT_DOUBLE_EQ(expected_words(32, 2, 64, {}), 64);
  EXPECT_DOUBLE_EQ(expected_words(32, 1, 5, {32}), 0) << "behind one that wants all banks";
}

TEST(BankConflicts, NeverGrowWithBanksPortsOrWidth) {
  Random r;
  for (int i = 0; i < 2000; ++i) {
    const std::int64_t banks = std::int64_t{1} << r.below(7), ports = 1 + r.below(3);
    const double own = 0.25 * static_cast<double>(1 + r.below(200));
    std::vector<double> older, narrower;
    for (std::int64_t n = r.below(5); n > 0; --n) {
      older.push_back(0.25 * static_cast<double>(1 + r.below(100)));
      narrower.push_back(older.back() / 2);
    }
    const double words = expected_words(banks, ports, own, older);
    EXPECT_GE(expected_words(banks * 2, ports, own, older), words - 1e-9);
    EXPECT_GE(expected_words(banks + 1, ports, own, older), words - 1e-9);
    EXPECT_GE(expected_words(banks, ports + 1, own, older), words - 1e-9);
    EXPECT_GE(2 * expected_words(banks, ports, own / 2, narrower), words - 1e-9) << "twice the width";
  }
}

// What the closed form leaves out: streams go from bank to bank, and a word that was turned away comes back
// to its own. A narrow stream beside a wider one then gets a little more than it promises, never less.
TEST(BankConflicts, OfStreamsThatComeBackAreAtMostFivePercentFewer) {
  constexpr std::int64_t kBanks = 32;
  constexpr int kCycles = 100'000;
  for (const std::int64_t older : {2, 8, 18}) {
    Random random;
    std::int64_t first = 0, moved = 0, place = 0;
    for (int cycle = 0; cycle < kCycles; ++cycle) {
      if (((place - first) % kBanks + kBanks) % kBanks >= older) ++place;
      first += older;
      moved += older;
      if (moved >= 64) first = random.below(kBanks), moved = 0;  // the next buffer lies anywhere
      first %= kBanks;
    }
    const double ratio =
        static_cast<double>(place) / kCycles / expected_words(kBanks, 1, 1, {static_cast<double>(older)});
    EXPECT_GE(ratio, 0.999) << older;
    EXPECT_LE(ratio, 1.05) << older;
  }
}

}  // namespace
}  // namespace edgenpu::timing
