// Matrix products on NPUs by themselves. Systolic arrays against ONNXim: the same array, weights of one byte,
// LPDDR5-6400 x64.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

#include "simulate.h"
#include "workload/trace_file.h"

namespace edgenpu {
namespace {

struct Product {
  const char* name;
  std::int64_t m, n, k;
  std::int64_t cycles;  // ONNXim, tests/data/arrays/onnxim.csv
};

const std::vector<std::string> kOnnxim = {"matrix.dataflow=weight_stationary",
                                          "matrix.weight_load=overlapped"};

result::StepResult run(const Product& p, const std::vector<std::string>& dataflow = kOnnxim) {
  workload::Trace t;
  t.model = p.name;
  t.quant = "W8";
  workload::MatMul body{p.m, p.n, p.k, vocabulary::format_named("W8"), Bytes(0)};
  t.operators.push_back({p.name, -1, {}, body});
  t.resident_weights = workload::weight_bytes(t.operators[0].body);
  const std::string path = std::filesystem::temp_directory_path() /
                           ("edgenpu-array-" + std::to_string(getpid()) + p.name + ".yaml");
  std::ofstream(path) << workload::write_trace(t);
  StepRequest r;
  r.hardware = std::string(EDGENPU_SOURCE_DIR) + "/hw_configs/npu/npu-raiderchip-asic.yaml";
  r.trace_file = path;
  r.memo = false;
  r.overrides = {
      "matrix.engines=1",  "matrix.rows=32",        "matrix.columns=32",  "matrix.pipeline=1 cycles",
      "memory.channels=4", "memory.capacity=8 GiB", "host.overhead=0 us", "command_processor.issue=1 cycles"};
  r.overrides.insert(r.overrides.end(), dataflow.begin(), dataflow.end());
  result::StepResult result = simulate(r);
  std::filesystem::remove(path);
  return result;
}

class AgainstOnnxim : public ::testing::TestWithParam<Product> {};
INSTANTIATE_TEST_SUITE_P(Products, AgainstOnnxim,
                         ::testing::Values(Product{"llama_qkv", 1, 6144, 4096, 835064},
                                           Product{"llama_proj", 1, 4096, 4096, 559941},
                                           Product{"llama_fc1", 1, 28672, 4096, 3838932},
                                           Product{"llama_fc2", 1, 4096, 14336, 1864034},
                                           Product{"h1024_qkv", 1, 1536, 1024, 50272},
                                           Product{"h1024_proj", 1, 1024, 1024, 34291},
                                           Product{"h1024_fc1", 1, 7168, 1024, 230423},
                                           Product{"prefill_qkv", 128, 1536, 1024, 198347},
                                           Product{"prefill_proj", 128, 1024, 1024, 132785},
                                           Product{"prefill_fc1", 128, 7168, 1024, 920345},
                                           Product{"prefill_fc2", 128, 1024, 3584, 480935}),
                         [](const auto& p) { return p.param.name; });

TEST_P(AgainstOnnxim, TakesTheSameCyclesWithinFivePercent) {
  const double cycles = run(GetParam()).total_s * 1e9;  // at 1 GHz
  EXPECT_NEAR(cycles / static_cast<double>(GetParam().cycles), 1, 0.05);
}

// The one exception: 1 x 1024 x 3584. Its 3584 folds cannot take less than the 32 cycles that loading a
// fold's weights takes, 114,688 in all; we add filling and draining. ONNXim takes 35.7 a fold where its other
// eleven products take 32.1 to 34.2: of one row of activations its tiles of 112 folds along k wait for each
// other, which our engine, whose accumulators keep the sums while weights change, does not.
TEST(AgainstOnnximsException, StaysBetweenTheLoadOfWeightsAndTheirTime) {
  const double cycles = run({"h1024_fc2", 1, 1024, 3584, 127866}).total_s * 1e9;
  EXPECT_GT(cycles, 3584 * 32);
  EXPECT_LT(cycles, 127866);
}

TEST(SystolicNpu, ReadsItsWeightsOnceWhateverTheDataflow) {
  for (const char* dataflow : {"matrix.dataflow=weight_stationary", "matrix.dataflow=output_stationary"}) {
    const bool weights = std::string(dataflow).find("weight") != std::string::npos;
    const result::StepResult r =
        run({"product", 64, 512, 512, 0},
            {dataflow, weights ? "matrix.weight_load=serial" : "matrix.drain=serial"});
    EXPECT_EQ(r.metrics.dram_read_B, 512 * (512 + 4) + 64 * 512) << dataflow << ": and its rows once";
    for (const result::Check& c : r.checks) EXPECT_TRUE(c.ok) << c.name << ": " << c.detail;
  }
}

TEST(DotProductNpu, TakesForEightProductsOnEightEnginesTheTimeOfOneOnOne) {
  const auto cycles = [](int count, int engines) {
    workload::Trace t;
    t.model = "products";
    t.quant = "W8";
    for (int i = 0; i < count; ++i) {
      t.operators.push_back({"p" + std::to_string(i),
                             -1,
                             {},
                             workload::MatMul{1, 4096, 4096, vocabulary::format_named("W8"), Bytes(0)}});
      t.resident_weights += workload::weight_bytes(t.operators.back().body);
    }
    const std::string path =
        std::filesystem::temp_directory_path() / ("edgenpu-products-" + std::to_string(getpid()) + ".yaml");
    std::ofstream(path) << workload::write_trace(t);
    StepRequest r;
    r.hardware = std::string(EDGENPU_SOURCE_DIR) + "/hw_configs/npu/npu-raiderchip-asic.yaml";
    r.trace_file = path;
    r.memo = false;
    // The scratchpad must not be what limits weights of one byte.
    r.overrides = {"memory.ideal=true", "matrix.engines=" + std::to_string(engines), "host.overhead=0 us",
                   "scratchpad.banks=256", "matrix.port=2048 B/cycle"};
    const double time = simulate(r).total_s * 1e9;
    std::filesystem::remove(path);
    return time;
  };
  const double one = cycles(1, 1), eight = cycles(8, 8);
  EXPECT_GE(one, 4096 * 4096 / 512);
  EXPECT_NEAR(eight / one, 1, 0.05);
}

}  // namespace
}  // namespace edgenpu
