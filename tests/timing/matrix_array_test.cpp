#include "timing/matrix_array.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace edgenpu::timing {
namespace {

constexpr MatrixArray dot(std::int64_t rows, std::int64_t columns, double rate = 1) {
  return {Dataflow::dot_product, rows, columns, true, rate};
}
constexpr MatrixArray weights(std::int64_t rows, std::int64_t columns, bool overlapped) {
  return {Dataflow::weight_stationary, rows, columns, overlapped, 1};
}
constexpr MatrixArray outputs(std::int64_t rows, std::int64_t columns, bool overlapped) {
  return {Dataflow::output_stationary, rows, columns, overlapped, 1};
}

TEST(DotProductArray, TakesOneCycleForEachFullPass) {
  EXPECT_EQ(array_cycles(dot(4, 128), 1, 4, 128), Cycles(1));
  EXPECT_EQ(array_cycles(dot(4, 128), 1, 7, 4096), Cycles(2 * 32));
  EXPECT_EQ(array_cycles(dot(4, 128), 3, 4, 128), Cycles(3));
}

TEST(DotProductArray, WastesTheRestOfAPassThatIsNotFilled) {
  EXPECT_EQ(array_cycles(dot(4, 128), 1, 1, 1), Cycles(1));
  EXPECT_EQ(array_cycles(dot(4, 128), 1, 5, 129), Cycles(4));
}

TEST(DotProductArray, TakesTwiceAsLongForOperandsAtHalfTheRate) {
  EXPECT_EQ(array_cycles(dot(4, 128, 0.5), 1, 4, 1024), Cycles(16));
  EXPECT_EQ(array_cycles(dot(4, 128, 0.5), 1, 4, 1025), Cycles(18));
}

TEST(OutputStationaryArray, TakesTenCyclesFromTheFirstToTheLastProductOfAFourByFourTile) {
  EXPECT_EQ(fold_span(outputs(4, 4, false), 4, 4), Cycles(10));
  EXPECT_EQ(array_cycles(outputs(4, 4, false), 4, 4, 4), Cycles(10 + 4));  // and shifts the results out
}

TEST(OutputStationaryArray, NeedsFourFoldsForOneRowAndColumnTooMany) {
  EXPECT_EQ(folds(outputs(32, 32, false), 33, 33, 64), 4);
  EXPECT_NEAR(mapping_efficiency(outputs(32, 32, false), 33, 33, 64), 0.2659, 1e-4);
  const double cycles = static_cast<double>(array_cycles(outputs(32, 32, true), 33, 33, 64).count());
  EXPECT_LT(33.0 * 33 * 64 / (cycles * 32 * 32), 0.2659);
}

TEST(OutputStationaryArray, HidesShiftingOutBehindTheNextFoldIfOverlapped) {
  // Two folds of k = 100 on 8 x 8: serial 2 x (100 + 14 + 8), overlapped 100 + (100 + 14 + 8).
  EXPECT_EQ(array_cycles(outputs(8, 8, false), 8, 16, 100), Cycles(244));
  EXPECT_EQ(array_cycles(outputs(8, 8, true), 8, 16, 100), Cycles(222));
}

TEST(WeightStationaryArray, LoadsWeightsBeforeEachStreamIfSerial) {
  EXPECT_EQ(array_cycles(weights(32, 32, false), 1, 32, 32), Cycles(95));
  EXPECT_EQ(array_cycles(weights(32, 32, false), 128, 32, 32), Cycles(222));
}

TEST(WeightStationaryArray, CostsTheLongerOfLoadAndStreamIfOverlapped) {
  EXPECT_EQ(array_cycles(weights(32, 32, true), 1, 32, 32), Cycles(95));
  EXPECT_EQ(array_cycles(weights(32, 32, true), 1, 32, 3200), Cycles(99 * 32 + 95));
  EXPECT_EQ(array_cycles(weights(32, 32, true), 128, 32, 3200), Cycles(99 * 128 + 222));
}

// SCALE-Sim counts the last cycle from 0, so its totals are one less.
TEST(WeightStationaryArray, TakesTheCyclesOfScaleSimsRowsWithoutStalls) {
  std::ifstream file(EDGENPU_SOURCE_DIR "/tests/data/arrays/scalesim.csv");
  ASSERT_TRUE(file);
  int rows = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#' || line.rfind("source", 0) == 0) continue;
    std::vector<std::string> cell;
    std::stringstream cells(line);
    for (std::string c; std::getline(cells, c, ',');) cell.push_back(c);
    const bool stalls = cell[1].rfind("ws32_user", 0) == 0;  // its finite bandwidth re-reads weights
    if (stalls || cell[2] == "LAYER_TOTAL") continue;
    EXPECT_EQ(
        array_cycles(weights(32, 32, false), std::stoll(cell[3]), std::stoll(cell[4]), std::stoll(cell[5])),
        Cycles(std::stoll(cell[8]) + 1))
        << line;
    ++rows;
  }
  EXPECT_EQ(rows, 20);
}

TEST(MatrixArray, NeverBeatsItsPeak) {
  for (const MatrixArray& a : {dot(4, 128), weights(8, 16, false), weights(8, 16, true),
                               outputs(8, 16, false), outputs(8, 16, true)})
    for (std::int64_t m : {1, 2, 5, 40})
      for (std::int64_t n : {1, 3, 4, 9, 100})
        for (std::int64_t k : {1, 127, 128, 129, 4096})
          EXPECT_GE(array_cycles(a, m, n, k).count() * a.rows * a.columns, m * n * k);
}

TEST(Engines, DivideOutputsRowsOrTheReduction) {
  EXPECT_EQ(split_cycles(dot(4, 32), config::Split::outputs, 8, 1, 32, 1024), Cycles(32));
  EXPECT_EQ(split_cycles(dot(4, 32), config::Split::rows, 8, 8, 4, 1024), Cycles(32));
  // Four passes of the reduction, three levels of adders, one row of outputs.
  EXPECT_EQ(split_cycles(dot(4, 32), config::Split::reduction, 8, 1, 4, 1024), Cycles(4 + 3 + 1));
}

TEST(Engines, ChooseTheSplitThatTakesLeast) {
  EXPECT_EQ(best_split(dot(4, 32), 8, 1, 4096, 4096), config::Split::outputs);
  EXPECT_EQ(best_split(dot(4, 32), 8, 1, 4, 4096), config::Split::reduction);
  EXPECT_EQ(best_split(dot(4, 32), 8, 64, 4, 64), config::Split::rows);
}

TEST(PartialSums, AreOneLessThanTheEnginesThatHaveAPart) {
  EXPECT_EQ(partial_sums(config::Split::reduction, 8, 4096), 7);
  EXPECT_EQ(partial_sums(config::Split::reduction, 8, 9), 4) << "two elements each for five engines";
  EXPECT_EQ(partial_sums(config::Split::reduction, 8, 1), 0);
  EXPECT_EQ(partial_sums(config::Split::outputs, 8, 4096), 0);
  EXPECT_EQ(partial_sums(config::Split::rows, 8, 4096), 0);
}

}  // namespace
}  // namespace edgenpu::timing
