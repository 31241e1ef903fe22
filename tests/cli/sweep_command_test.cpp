// Studies as a user runs them: on all cores, killed, resumed, in shards, many at once, and with points that
// fail.
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>

#include "cli/sweep_fixture.h"

namespace {

namespace fs = std::filesystem;
using edgenpu::test::Output;
using edgenpu::test::slurp;
using ::testing::HasSubstr;
using ::testing::Not;

class Sweep : public edgenpu::test::SweepFolder {
 protected:
  // 24 points of the smallest model, two of which break a constraint.
  Sweep() {
    study(
        "s.yaml",
        "workload: {context: 64}\naxes: {grid: {matrix.engines: [2, 4, 8, 16], memory.refresh: [ab, pb], "
        "scratchpad.size: [512 KiB, 1 MiB, 2 MiB]}}\nexclude: []\nconstraints: [not (matrix_engines = 16 and "
        "scratchpad_size_B < 1e6)]\n");
  }
  std::string unbroken() const {
    const Output out = shell("$E sweep s.yaml --jobs 2 --out unbroken.sqlite");
    EXPECT_EQ(out.exit_code, 0) << out.errors;
    return csv("unbroken.sqlite");
  }
};

TEST_F(Sweep, RunsEveryPointAndSaysSo) {
  const Output out = shell("$E sweep s.yaml");
  EXPECT_EQ(out.exit_code, 0);
  EXPECT_THAT(out.errors, HasSubstr("22 ok, 2 infeasible, 0 failed"));
  EXPECT_THAT(out.errors, HasSubstr("results: s.sqlite"));
  EXPECT_EQ(out.text, "") << "standard output is not for progress";
}

TEST_F(Sweep, DryRunPrintsThePointsAndRunsNothing) {
  const Output out = shell("$E sweep s.yaml --dry-run");
  EXPECT_EQ(out.exit_code, 0);
  EXPECT_THAT(out.text, HasSubstr("scratchpad_size_B"));
  EXPECT_EQ(std::count(out.text.begin(), out.text.end(), '\n'), 25);
  EXPECT_FALSE(fs::exists(folder_ / "s.sqlite"));
}

TEST_F(Sweep, GivesTheSameRowsForAnyNumberOfWorkersAndForMergedShards) {
  const std::string expected = unbroken();
  EXPECT_EQ(std::count(expected.begin(), expected.end(), '\n'), 25);
  for (const int jobs : {1, 8}) {
    shell(fmt::format("$E sweep s.yaml --jobs {0} --out j{0}.sqlite", jobs));
    EXPECT_EQ(csv(fmt::format("j{}.sqlite", jobs)), expected) << jobs;
  }
  for (const int shard : {1, 2, 3, 4}) shell(fmt::format("$E sweep s.yaml --shard {}/4", shard));
  const Output merged = shell("$E results merge all.sqlite s.?-of-4.sqlite");
  EXPECT_THAT(merged.errors, HasSubstr("s: 24 points, 0 missing"));
  EXPECT_EQ(csv("all.sqlite"), expected);
}

TEST_F(Sweep, GoesOnAfterAKillWhereItWas) {
  const std::string expected = unbroken();
  // Killed hard, as soon as a few rows are there; nothing of it may live on.
  const Output killed = shell(
      "EDGENPU_TEST_FAULTS=20:hang $F sweep s.yaml --jobs 1 --out k.sqlite & "
      "for i in $(seq 600); do n=$($E results table k.sqlite --where \"status='ok'\" --csv - "
      "2>/dev/null | wc -l); "
      "[ \"$n\" -gt 5 ] && break; sleep 0.05; done; kill -KILL $!; wait; echo rows $n");
  EXPECT_THAT(killed.text, HasSubstr("rows "));
  const Output partly = shell("$E results table k.sqlite --where \"status='missing'\" --csv - | wc -l");
  EXPECT_GT(std::stoi(partly.text), 1) << "the kill came too late to test anything";
  const Output resumed = shell("$E sweep s.yaml --jobs 2 --out k.sqlite --resume");
  EXPECT_EQ(resumed.exit_code, 0);
  EXPECT_THAT(resumed.errors, ::testing::ContainsRegex("^[0-9]+ points reused, [0-9]+ to run"));
  EXPECT_EQ(csv("k.sqlite"), expected);
}

TEST_F(Sweep, ResumedWhenCompleteRunsNothing) {
  shell("$E sweep s.yaml");
  EXPECT_THAT(shell("$E sweep s.yaml --resume").errors, HasSubstr("24 points reused, 0 to run"));
}

TEST_F(Sweep, PointsThatCrashHangOrExhaustMemoryBecomeRowsAndTheRestCompletes) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "no limit of memory under the address sanitizer";
#endif
  write("f.yaml",
        slurp(std::fopen((folder_ / "s.yaml").c_str(), "r")) + "limits: {timeout: 5 s, memory: 512 MiB}\n");
  const Output out = shell("EDGENPU_TEST_FAULTS=2:crash,3:hang,5:memory $F sweep f.yaml");
  EXPECT_EQ(out.exit_code, 1);
  EXPECT_THAT(out.errors, HasSubstr("19 ok, 2 infeasible, 3 failed"));
  EXPECT_THAT(out.errors, HasSubstr("point 2 failed: died: Aborted"));
  const std::string failed =
      shell("$E results table s.sqlite --where \"status='failed'\" --columns number,message --csv -").text;
  EXPECT_EQ(failed,
            "number,message\n2,died: Aborted\n3,took longer than its limit of 5 s\n5,out of memory: the "
            "limit is 512 MiB\n");
  // They are run again on the next occasion.
  const Output again = shell("$E sweep f.yaml --resume");
  EXPECT_THAT(again.errors, HasSubstr("21 points reused, 3 to run"));
  EXPECT_EQ(csv("s.sqlite"), unbroken());
}

// What `run` says of one step, a table says of its points.
TEST_F(Sweep, KeepsWhatRunNotesAboutAPoint) {
  study("n.yaml", "workload: {context: 4}\naxes: {grid: {clock: [1 GHz, 7 GHz]}}\n");
  ASSERT_EQ(shell("$E sweep n.yaml --jobs 1 --out n.sqlite").exit_code, 0);
  const Output run = shell(std::string("$E run --hardware ") + EDGENPU_SOURCE_DIR +
                           "/hw_configs/npu/npu-raiderchip-asic.yaml --model smollm2-135m --context 4 --set "
                           "clock='7 GHz' --json -");
  const std::size_t at = run.text.find("\"notes\": [");
  ASSERT_NE(at, std::string::npos);
  const std::size_t from = run.text.find('"', at + 10) + 1;
  const std::string note = run.text.substr(from, run.text.find('"', from) - from);
  ASSERT_GT(note.size(), 10u) << run.text.substr(at, 300);
  const Output shown = shell("$E results table n.sqlite");
  EXPECT_THAT(shown.errors, HasSubstr("points: " + note));
  EXPECT_THAT(shell("$E results table n.sqlite --csv - 2>/dev/null").text, HasSubstr(note));
}

// It is the tool that has no room, not the hardware: such points are run again elsewhere.
TEST_F(Sweep, APointTooLargeForItsMemoryFailsAtOnceWithTheSize) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "no limit of memory under the address sanitizer";
#endif
  study("p.yaml",
        "workload: {phase: prefill}\naxes: {grid: {prompt: [64, 16384]}}\nlimits: {memory: 1 GiB}\n");
  EXPECT_THAT(shell("$E sweep p.yaml --jobs 1 --out p.sqlite").errors,
              HasSubstr("1 ok, 0 infeasible, 1 failed"));
  EXPECT_THAT(
      shell("$E results table p.sqlite --columns status,message --csv -").text,
      ::testing::ContainsRegex("failed,a step of [0-9]+ million commands or more needs at least [0-9]+ MiB"));
}

TEST_F(Sweep, HasNoWayToMakeAPointFailInTheToolItself) {
  study("one.yaml", "workload: {context: 4}\naxes: {grid: {matrix.engines: [2]}}\n");
  const Output out = shell("EDGENPU_TEST_FAULTS=1:crash $E sweep one.yaml");
  EXPECT_EQ(out.exit_code, 0);
  EXPECT_THAT(out.errors, HasSubstr("1 ok"));
}

TEST_F(Sweep, StopsAtTheFirstFailureIfAsked) {
  const Output out = shell("EDGENPU_TEST_FAULTS=2:crash $F sweep s.yaml --jobs 1 --fail-fast");
  EXPECT_EQ(out.exit_code, 1);
  EXPECT_THAT(out.errors, HasSubstr("stopped at the first failure"));
  EXPECT_THAT(out.errors, HasSubstr("4 of 24 points"));
}

TEST_F(Sweep, AnInterruptEndsItInOrder) {
  const Output out = shell(
      "EDGENPU_TEST_FAULTS=4:hang $F sweep s.yaml --jobs 1 & "
      "for i in $(seq 600); do [ $($E results table s.sqlite --where \"status='ok'\" --csv - "
      "2>/dev/null | wc -l) -ge 4 ] && "
      "break; sleep 0.05; done; kill -INT $!; wait $!; echo code $?");
  EXPECT_THAT(out.text, HasSubstr("code 1"));
  EXPECT_THAT(out.errors, HasSubstr("interrupted; --resume goes on from here"));
}

TEST_F(Sweep, SixteenAtOnceInOneFolderAllSucceed) {
  study("s.yaml", "workload: {context: 4}\naxes: {grid: {matrix.engines: [2, 4], dma.channels: [1, 2]}}\n");
  shell("$E sweep s.yaml --out one.sqlite");
  const std::string expected = csv("one.sqlite");
  const Output same = shell(
      "for i in $(seq 16); do $E sweep s.yaml --jobs 1 & p=\"$p $!\"; done; for x in $p; do wait $x || "
      "echo bad; done");
  EXPECT_EQ(same.text, "");
  EXPECT_EQ(csv("s.sqlite"), expected);
}

TEST_F(Sweep, AFullDiskIsAClearErrorAndLeavesOldResultsIntact) {
  shell("$E sweep s.yaml --shard 1/4 --out s.sqlite");
  const std::string before = csv("s.sqlite");
  const Output out = shell("ulimit -f 96; $E sweep s.yaml --out s.sqlite --resume");
  EXPECT_EQ(out.exit_code, 2);
  EXPECT_THAT(out.errors, HasSubstr("s.sqlite: cannot read or write here"));
  EXPECT_THAT(out.errors, HasSubstr("What was written before is intact"));
  const Output whole = shell("$E sweep s.yaml --out s.sqlite --resume");
  EXPECT_EQ(whole.exit_code, 0);
  EXPECT_EQ(csv("s.sqlite"), unbroken());
}

TEST_F(Sweep, WritesAFileOfAnyNameAndRefusesWhatIsNone) {
  study("one.yaml", "workload: {context: 4}\naxes: {grid: {matrix.engines: [2]}}\n");
  for (const char* name : {"file:x?mode=memory", "a b?c#d%41.sqlite"}) {
    EXPECT_EQ(shell(fmt::format("$E sweep one.yaml --out '{}'", name)).exit_code, 0) << name;
    EXPECT_TRUE(fs::exists(folder_ / name)) << name;
    EXPECT_THAT(csv(name), HasSubstr(",ok,")) << name;
  }
  for (const char* name : {"", "-", ".", "/dev/null", ":memory:"}) {
    const Output out = shell(fmt::format("$E sweep one.yaml --out '{}'", name));
    EXPECT_EQ(out.exit_code, 2) << name << out.errors;
    EXPECT_THAT(out.errors, Not(HasSubstr("internal"))) << name;
  }
}

TEST_F(Sweep, StartsNoMoreProcessesThanThereIsRoomFor) {
  study("many.yaml",
        "workload: {context: 4}\naxes: {grid: {matrix.engines: [1, 2, 4], dma.channels: [1, 2, 3, 4]}}\n");
  const Output out = shell("ulimit -n 40; $E sweep many.yaml --jobs 100000");
  EXPECT_EQ(out.exit_code, 0) << out.errors;
  EXPECT_THAT(out.errors, HasSubstr("12 ok"));
}

TEST_F(Sweep, AFolderThatCannotBeWrittenIsAClearError) {
  const Output out = shell("$E sweep s.yaml --out /proc/s.sqlite");
  EXPECT_EQ(out.exit_code, 2);
  EXPECT_THAT(out.errors, HasSubstr("/proc/s.sqlite: cannot "));
}

TEST_F(Sweep, RefusesAShardThatIsNone) {
  for (const char* shard : {"0/4", "5/4", "1", "1/4x", "a/b"}) {
    const Output out = shell(fmt::format("$E sweep s.yaml --shard {}", shard));
    EXPECT_EQ(out.exit_code, 2) << shard;
    EXPECT_THAT(out.errors, HasSubstr("--shard")) << shard;
  }
}

TEST_F(Sweep, ResultsShowFrontEffectsAndTheBestPointUnderLimits) {
  shell("$E sweep s.yaml");
  const Output front = shell("$E results pareto s.sqlite --minimise ms_per_token,power_W");
  EXPECT_THAT(front.text, HasSubstr("front"));
  EXPECT_THAT(front.text, HasSubstr("infeasible")) << "rows without a result are shown too";
  EXPECT_THAT(shell("$E results effects s.sqlite --metric edp_J_s").text, HasSubstr("mean_edp_J_s"));
  const Output best = shell(
      "$E results best s.sqlite --maximise tokens_per_s --where \"power_W < 100 and ms_per_token < "
      "50\"");
  EXPECT_EQ(best.exit_code, 0);
  EXPECT_THAT(best.text, HasSubstr("tokens_per_s"));
  EXPECT_EQ(shell("$E results best s.sqlite --maximise tokens_per_s --where 'power_W < 0'").exit_code, 3);
  const Output wrong = shell("$E results table s.sqlite --where 'power < 3'");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.errors, HasSubstr("no column 'power'; did you mean 'power_W'?"));
}

}  // namespace
