// Long stretches are cut, and what was removed is accounted for to the byte.
#include "lowering/cut.h"

#include <gtest/gtest.h>

#include "lowering/lower.h"
#include "lowering/sample_npu.h"

namespace edgenpu::lowering {
namespace {

// Vocabulary large enough for a long output head: 100,000 rows of 210 B.
Program long_program() {
  return lower(test::sample_trace(1, 64, 100'000), test::sample_npu());
}

const CutLimits kLimits{Bytes(200'000), Bytes(400'000), 1'000'000};

std::int64_t loaded(const Program& p, const Command& c) {
  if (c.unit != Unit::load && c.unit != Unit::store) return 0;
  const Transfer& t = p.transfers[static_cast<std::size_t>(c.work)];
  return t.bytes.count() * t.count;
}

// [operator of the full program]; pieces count for what they stand for.
std::vector<std::int64_t> bytes_by_operator(const CutProgram& cut) {
  std::vector<std::int64_t> own(static_cast<std::size_t>(cut.program.operators), 0);
  for (const Command& c : cut.program.commands)
    own[static_cast<std::size_t>(activity::index(c.op))] += loaded(cut.program, c);
  std::vector<std::int64_t> all(own.begin(), own.begin() + cut.operators);
  for (std::size_t i = 0; i < cut.pieces.size(); ++i) {
    const Piece& p = cut.pieces[i];
    const std::int64_t bytes = own[static_cast<std::size_t>(cut.operators) + i] * p.periods;
    EXPECT_EQ(bytes % p.measured, 0);
    all[static_cast<std::size_t>(p.op)] += bytes / p.measured;
  }
  return all;
}

TEST(Cut, AccountsForEveryByteThatItRemoves) {
  const Program full = long_program();
  const CutProgram short_one = cut(full, kLimits);
  EXPECT_LT(short_one.program.commands.size(), full.commands.size() / 5);
  EXPECT_EQ(bytes_by_operator(short_one), bytes_by_operator(uncut(full)));
}

TEST(Cut, KeepsEveryDependencyBeforeItsCommand) {
  const CutProgram c = cut(long_program(), kLimits);
  for (std::size_t i = 0; i < c.program.commands.size(); ++i) {
    const Command& command = c.program.commands[i];
    for (std::int32_t d = 0; d < command.dependencies; ++d) {
      const std::int32_t on =
          c.program.dependencies[static_cast<std::size_t>(command.first_dependency + d)].command;
      EXPECT_GE(on, 0);
      EXPECT_LT(on, static_cast<std::int32_t>(i));
    }
  }
}

TEST(Cut, KeepsTheDepthOfTheRingAcrossTheCut) {
  // Within the steady stretch each load waits for the reader of one a fixed distance back. It must be the
  // same distance behind the cut, or the two sides would run into or away from each other.
  const CutProgram c = cut(long_program(), kLimits);
  ASSERT_FALSE(c.pieces.empty());
  const int op = c.pieces[0].op;
  std::vector<std::int64_t> distances;
  for (std::size_t i = 0; i < c.program.commands.size(); ++i) {
    const Command& command = c.program.commands[i];
    const int owner = activity::index(command.op);
    const bool of_stretch = owner == op || owner >= c.operators;
    if (command.unit != Unit::load || !of_stretch || command.dependencies == 0) continue;
    const Dependency& on = c.program.dependencies[static_cast<std::size_t>(command.first_dependency)];
    distances.push_back(static_cast<std::int64_t>(i) - on.command);
  }
  ASSERT_GT(distances.size(), 20u);
  // The first loads find the ring full of what came before, the last one is shorter.
  const std::int64_t steady = distances[distances.size() / 2];
  for (std::size_t i = distances.size() / 3; i + 1 < distances.size(); ++i)
    EXPECT_EQ(distances[i], steady) << i;
}

TEST(Cut, MeasuresTwoEqualHalves) {
  const CutProgram c = cut(long_program(), kLimits);
  ASSERT_FALSE(c.pieces.empty());
  std::vector<std::int64_t> commands(c.pieces.size(), 0);
  for (const Command& command : c.program.commands)
    if (activity::index(command.op) >= c.operators)
      ++commands[static_cast<std::size_t>(activity::index(command.op) - c.operators)];
  for (std::size_t i = 0; i < c.pieces.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (c.pieces[i].op == c.pieces[j].op && c.pieces[i].stretch == c.pieces[j].stretch) {
        EXPECT_EQ(commands[i], commands[j]);
      }
}

TEST(Cut, LeavesAShortProgramAlone) {
  const Program full = lower(test::sample_trace(2, 64), test::sample_npu());
  const CutProgram c = cut(full, kLimits);
  EXPECT_EQ(c.program.commands.size(), full.commands.size());
  EXPECT_TRUE(c.pieces.empty());
}

}  // namespace
}  // namespace edgenpu::lowering
