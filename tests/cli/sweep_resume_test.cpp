// A study that changes between two sweeps of one file shows what a fresh sweep of it would show, and nothing that has been
// simulated is simulated again.
#include <gmock/gmock.h>

#include "cli/sweep_fixture.h"

namespace {

using edgenpu::test::Output;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kAxes = "axes: {grid: {dma.channels: [1, 2], matrix.engines: [2, 4]}}\n";

struct Edit {
  const char* what;
  std::string study;  // from line 4 on
  int new_points;     // that the first sweep has not simulated
};

const std::string kWorkload = "workload: {context: 4}\n";

const std::vector<Edit> kEdits = {
    {"the study as it was", kWorkload + kAxes, 0},
    {"a constraint on a result", kWorkload + kAxes + "constraints: [power_W <= 11.5]\n", 0},
    {"another limit", kWorkload + kAxes + "constraints: [power_W <= 12]\n", 0},
    {"a constraint on inputs", kWorkload + kAxes + "constraints: [dma_channels * matrix_engines < 8]\n", 0},
    {"a constraint on a column that is no axis",
     kWorkload + kAxes + "constraints: [tokens_per_s * clock_Hz > 1e15]\n", 0},
    {"both, and one that says nothing",
     kWorkload + kAxes + "constraints: [dma_channels < 2, power_W < 11.5, ttft_ms < 1]\n", 0},
    {"no point is feasible", kWorkload + kAxes + "constraints: [power_W < 0]\n", 0},
    {"an exclusion", kWorkload + kAxes + "exclude: [dma_channels = 2 and matrix_engines = 4]\n", 0},
    {"a value less", kWorkload + "axes: {grid: {dma.channels: [2], matrix.engines: [4, 2]}}\n", 0},
    {"a value more", kWorkload + "axes: {grid: {dma.channels: [1, 2, 3], matrix.engines: [2, 4]}}\n", 2},
    {"an axis more",
     kWorkload + "axes: {grid: {dma.channels: [1, 2], matrix.engines: [2, 4], memory.refresh: [ab, pb]}}\n",
     4},
    {"the axes in another order",
     kWorkload + "axes: {grid: {matrix.engines: [2, 4], dma.channels: [1, 2]}}\n", 0},
    {"an axis becomes a derived value",
     kWorkload + "axes: {grid: {dma.channels: [1, 2]}}\nderive: {matrix.engines: 2 * dma_channels}\n", 0},
    {"a derived value becomes a constant",
     kWorkload +
         "set: {matrix.engines: 4}\naxes: {grid: {dma.channels: [1, 2]}}\nconstraints: [dma_channels > 1]\n",
     0},
    {"the same clock in another unit", kWorkload + "set: {clock: 1000 MHz}\n" + kAxes, 0},
    {"another question", "question: why?\n" + kWorkload + kAxes, 0},
};

using Resume = edgenpu::test::SweepFolder;

TEST_F(Resume, ShowsWhatAFreshSweepOfTheEditedStudyShows) {
  study("first.yaml", kWorkload + kAxes);
  ASSERT_EQ(shell("$E sweep first.yaml --jobs 1 --out r.sqlite").exit_code, 0);
  for (const Edit& edit : kEdits) {
    study("edited.yaml", edit.study);
    ASSERT_EQ(shell("rm -f fresh.sqlite; $E sweep edited.yaml --jobs 1 --out fresh.sqlite").exit_code, 0)
        << edit.what;
    shell("cp r.sqlite edited.sqlite");
    const Output resumed = shell("$E sweep edited.yaml --jobs 1 --out edited.sqlite --resume");
    EXPECT_EQ(resumed.exit_code, 0) << edit.what;
    EXPECT_THAT(resumed.errors, HasSubstr(fmt::format(", {} to run", edit.new_points))) << edit.what;
    EXPECT_EQ(csv("edited.sqlite"), csv("fresh.sqlite")) << edit.what;
  }
}

TEST_F(Resume, GivesPointsBackWhenTheirConstraintGoes) {
  study("tight.yaml", kWorkload + kAxes + "constraints: [dma_channels < 2, power_W < 0]\n");
  study("free.yaml", kWorkload + kAxes);
  EXPECT_THAT(shell("$E sweep tight.yaml --jobs 1 --out r.sqlite").errors,
              HasSubstr("4 infeasible, 0 failed"));
  const Output out = shell("$E sweep free.yaml --jobs 1 --out r.sqlite --resume");
  EXPECT_THAT(out.errors, HasSubstr("2 points reused, 2 to run"))
      << "two broke a constraint on inputs and never ran";
  EXPECT_THAT(out.errors, HasSubstr("(4 ok)"));
}

// Two studies of one name: the file has room for the points of one.
TEST_F(Resume, ASecondStudyOfTheSameNameIsRefusedWithoutIt) {
  study("first.yaml", kWorkload + kAxes);
  study("second.yaml", kWorkload + "axes: {grid: {dma.channels: [3]}}\n");
  ASSERT_EQ(shell("$E sweep first.yaml --jobs 1 --out r.sqlite").exit_code, 0);
  const std::string before = csv("r.sqlite");
  const Output out = shell("$E sweep second.yaml --jobs 1 --out r.sqlite");
  EXPECT_EQ(out.exit_code, 2);
  EXPECT_THAT(out.errors, HasSubstr("r.sqlite: has a study 's' with other points, inputs or constraints"));
  EXPECT_EQ(csv("r.sqlite"), before);
}

TEST_F(Resume, ASweepWhosePointsWereReplacedMeanwhileSaysSo) {
  study("first.yaml", kWorkload + kAxes);
  study("second.yaml", kWorkload + "axes: {grid: {dma.channels: [3]}}\n");
  const Output out = shell(
      "EDGENPU_TEST_FAULTS=2:hang $F sweep first.yaml --jobs 1 --out r.sqlite & "
      "for i in $(seq 600); do [ -f r.sqlite ] && [ $($E results table r.sqlite --where \"status='ok'\" "
      "--csv - | wc -l) "
      "-ge 2 ] && break; sleep 0.05; done; $E sweep second.yaml --jobs 1 --out r.sqlite --resume && "
      "kill -INT $!; wait $!; echo code $?");
  EXPECT_THAT(out.text, HasSubstr("code 2"));
  EXPECT_THAT(out.errors, HasSubstr("another sweep gave the study 's' other points meanwhile"));
}

TEST_F(Resume, ReadingLeavesNothingBesideTheFileAndNeedsNoPermissionToWrite) {
  study("first.yaml", kWorkload + "axes: {grid: {dma.channels: [1, 2]}}\n");
  ASSERT_EQ(shell("mkdir 'd ?#%'; $E sweep first.yaml --jobs 1 --out 'd ?#%/r.sqlite'").exit_code, 0);
  const std::string expected = csv("d ?#%/r.sqlite");
  EXPECT_EQ(shell("ls 'd ?#%'").text, "r.sqlite\n");
  shell("chmod a-w 'd ?#%/r.sqlite' 'd ?#%'; chmod a+x . 'd ?#%'");
  EXPECT_EQ(csv("d ?#%/r.sqlite"), expected);
  EXPECT_EQ(shell("ls 'd ?#%'").text, "r.sqlite\n");
  shell("chmod u+w 'd ?#%'");
}

TEST_F(Resume, AKilledSweepIsReadWithAllItsRowsAndTidiedUp) {
  study("first.yaml", kWorkload + kAxes);
  shell(
      "EDGENPU_TEST_FAULTS=3:hang $F sweep first.yaml --jobs 1 --out r.sqlite & "
      "for i in $(seq 600); do [ -f r.sqlite ] && [ $($E results table r.sqlite --where \"status='ok'\" "
      "--csv - | wc -l) "
      "-ge 3 ] && break; sleep 0.05; done; kill -KILL $!; wait; ls >listing");
  EXPECT_THAT(shell("cat listing").text, HasSubstr("r.sqlite-wal"));
  EXPECT_EQ(shell("$E results table r.sqlite --where \"status='ok'\" --csv - | wc -l").text, "3\n");
  EXPECT_THAT(shell("ls").text, Not(HasSubstr("r.sqlite-")));
}

}  // namespace
