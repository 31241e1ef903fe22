// A program's own tiles, in its order, compute what the product computes untiled.
#include <gtest/gtest.h>

#include "base/rates.h"
#include "lowering/lower.h"
#include "lowering/sample_npu.h"

namespace edgenpu::lowering {
namespace {

using workload::Format;
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

// Each command adds up its part of the reduction fold by fold, as its array does, and writes its results
// once.
Matrix by_program(const Program& p, const config::Npu& npu, const Shape& s, const Matrix& x,
                  const Matrix& w) {
  Matrix y(static_cast<std::size_t>(s.m * s.n)), written(y.size());
  const std::int64_t fold =
      npu.matrix.dataflow == config::Dataflow::weight_stationary ? npu.matrix.rows : npu.matrix.columns;
  for (const Command& c : p.commands) {
    if (c.unit != Unit::matrix) continue;
    const MatrixWork& work = p.matrix[static_cast<std::size_t>(c.work)];
    EXPECT_EQ(work.k, s.k);
    for (std::int64_t row = work.first_row; row < work.first_row + work.m; ++row)
      for (std::int64_t output = work.first_output; output < work.first_output + work.n; ++output) {
        std::int64_t sum = 0;
        for (std::int64_t from = 0; from < s.k; from += fold)
          sum += dot(x, w, row, output, from, std::min(s.k, from + fold), s.k);
        const auto at = static_cast<std::size_t>(row * s.n + output);
        y.at(at) = sum;
        ++written.at(at);
      }
  }
  for (const std::int64_t times : written) EXPECT_EQ(times, 1);
  return y;
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
    workload::Trace t;
    t.model = "one product";
    t.operators.push_back(
        {"norm", -1, {}, workload::Norm{workload::Norm::Kind::rms, s.m, 1, s.k, Bytes(s.k * 4)}});
    t.operators.push_back({"product", -1, {0}, MatMul{s.m, s.n, s.k, Format::Q8_0, Bytes(0)}});
    const Program p = lower(t, npu);
    tiled += std::count_if(p.commands.begin(), p.commands.end(),
                           [](const Command& c) { return c.unit == Unit::matrix; }) > 1;
    const Matrix x = random_matrix(random, s.m * s.k), w = random_matrix(random, s.n * s.k);
    Matrix untiled;
    for (std::int64_t row = 0; row < s.m; ++row)
      for (std::int64_t output = 0; output < s.n; ++output)
        untiled.push_back(dot(x, w, row, output, 0, s.k, s.k));
    EXPECT_EQ(by_program(p, npu, s, x, w), untiled);
  }
  EXPECT_GT(tiled, 30);
}

}  // namespace
}  // namespace edgenpu::lowering
