// A program's own tiles, in its order, compute what the product computes untiled.
#include <algorithm>
#include <array>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/rates.h"
#include "lowering/lower.h"
#include "lowering/sample_npu.h"
#include "lowering/values.h"

namespace edgenpu::lowering {
namespace {

using vocabulary::Format;
using workload::MatMul;

struct Random {
  std::uint64_t state;
  std::int64_t between(std::int64_t low, std::int64_t high) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return low + static_cast<std::int64_t>(state >> 33) % (high - low + 1);
  }
};

using Matrix = std::vector<std::int64_t>;

Matrix random_matrix(Random& random, std::int64_t size) {
  Matrix values(static_cast<std::size_t>(size));
  for (auto& v : values) v = random.between(-127, 127);
  return values;
}

struct Shape {
  std::int64_t m, n, k;
};

std::int64_t dot(const Matrix& x, const Matrix& w, std::int64_t row, std::int64_t output, std::int64_t from,
                 std::int64_t to, std::int64_t k) {
  std::int64_t sum = 0;
  for (std::int64_t i = from; i < to; ++i)
    sum += x[static_cast<std::size_t>(row * k + i)] * w[static_cast<std::size_t>(output * k + i)];
  return sum;
}

// Each command adds up its part of the reduction fold by fold, as its array does, and goes on from the
// partial sums of the part before; every product is added once, in the order of the reduction.
Matrix by_program(const Program& p, const config::Npu& npu, const Shape& s, const Matrix& x,
                  const Matrix& w) {
  Matrix y(static_cast<std::size_t>(s.m * s.n)), added(y.size());
  const std::int64_t fold =
      npu.matrix.dataflow == config::Dataflow::weight_stationary ? npu.matrix.rows : npu.matrix.columns;
  for (const Command& c : p.commands) {
    if (c.unit != Unit::matrix) continue;
    const MatrixWork& work = p.matrix[static_cast<std::size_t>(c.work)];
    const std::int64_t end = work.first_k + work.k;
    EXPECT_EQ(work.sums.count(), work.first_k == 0 ? 0 : work.m * work.n * kResultBytes);
    for (std::int64_t row = work.first_row; row < work.first_row + work.m; ++row)
      for (std::int64_t output = work.first_output; output < work.first_output + work.n; ++output) {
        const auto at = static_cast<std::size_t>(row * s.n + output);
        EXPECT_EQ(added.at(at), work.first_k);
        std::int64_t sum = y.at(at);
        for (std::int64_t from = work.first_k; from < end; from += fold)
          sum += dot(x, w, row, output, from, std::min(end, from + fold), s.k);
        y.at(at) = sum;
        added.at(at) = end;
      }
  }
  for (const std::int64_t end : added) EXPECT_EQ(end, s.k);
  return y;
}

// One product behind a norm whose result may have to be spilled.
workload::Trace one_product(const Shape& s) {
  workload::Trace t;
  t.model = "one product";
  t.operators.push_back(
      {"norm", -1, {}, workload::Norm{workload::Norm::Kind::rms, s.m, 1, s.k, Bytes(s.k * 4)}});
  t.operators.push_back({"product", -1, {0}, MatMul{s.m, s.n, s.k, Format::Q8_0, Bytes(0)}});
  return t;
}

void expect_same_product(const Program& p, const config::Npu& npu, const Shape& s, Random& random) {
  const Matrix x = random_matrix(random, s.m * s.k), w = random_matrix(random, s.n * s.k);
  Matrix untiled;
  for (std::int64_t row = 0; row < s.m; ++row)
    for (std::int64_t output = 0; output < s.n; ++output)
      untiled.push_back(dot(x, w, row, output, 0, s.k, s.k));
  EXPECT_EQ(by_program(p, npu, s, x, w), untiled);
}

std::int64_t products_in(const Program& p) {
  return std::count_if(p.commands.begin(), p.commands.end(),
                       [](const Command& c) { return c.unit == Unit::matrix; });
}

TEST(TileOrder, ComputesWhatTheUntiledProductComputes) {
  Random random{2024};
  int tiled = 0;
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    config::Npu npu = test::sample_npu();
    npu.scratchpad.size = Bytes(random.between(24, 96) * 1024);
    npu.tile = Bytes(random.between(0, 1) * random.between(1, 12) * 1024);
    npu.matrix.dataflow = static_cast<config::Dataflow>(random.between(0, 2));
    npu.matrix.engines = static_cast<int>(random.between(1, 4));
    const Shape s{random.between(1, 60), random.between(1, 150), 32 * random.between(1, 8)};
    const Program p = lower(one_product(s), npu);
    tiled += products_in(p) > 1;
    expect_same_product(p, npu, s, random);
  }
  EXPECT_GT(tiled, 30);
}

// Every order of loops with tiles of rows, outputs and reduction that do not divide the product.
TEST(TileOrder, ComputesTheSameInEveryOrderOfLoopsWithTilesOfTheReduction) {
  Random random{7};
  std::array<int, 3> seen{};
  int cut = 0, spilled = 0;
  for (int round = 0; round < 120; ++round) {
    SCOPED_TRACE(round);
    config::Npu npu = test::sample_npu();
    npu.scratchpad.size = Bytes(random.between(32, 128) * 1024);
    npu.tile = Bytes(0);
    npu.matrix.dataflow = static_cast<config::Dataflow>(random.between(0, 2));
    const Shape s{random.between(1, 300), random.between(1, 150), 32 * random.between(1, 16)};
    config::PlanOverride wish{"product", {}, static_cast<config::LoopOrder>(round % 3), 0, 0, 0, {}};
    wish.m = random.between(0, 1) * random.between(1, 40);
    wish.n = random.between(0, 1) * random.between(1, 40);
    if (round % 3 != 1) wish.k = random.between(0, 1) * 32 * random.between(1, 4);
    wish.split = static_cast<config::Split>(random.between(0, 3));
    npu.plan = {wish};
    Program p;
    try {
      p = lower(one_product(s), npu);
    } catch (const InfeasibleError&) {
      continue;
    }
    ++seen[static_cast<std::size_t>(round % 3)];
    cut += std::any_of(p.matrix.begin(), p.matrix.end(), [](const MatrixWork& w) { return w.first_k > 0; });
    spilled += p.spill > Bytes(0);
    expect_same_product(p, npu, s, random);
  }
  for (const int times : seen) EXPECT_GT(times, 20);
  EXPECT_GT(cut, 30);
  EXPECT_GT(spilled, 20);
}

}  // namespace
}  // namespace edgenpu::lowering
