// CPUs, GPUs and runtimes as YAML: the shipped files are readable, mistakes are named.
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "config/cpu.h"
#include "config/gpu.h"
#include "config/resolve.h"
#include "support/shipped.h"

namespace edgenpu::config {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kFolder = std::string(EDGENPU_SOURCE_DIR) + "/hw_configs/";

std::string error_of(const std::string& file, const std::vector<std::string>& overrides) {
  try {
    const Value tree = load_hardware_tree(test::hardware_file(file), overrides);
    if (tree.find("kind")->text() == "cpu")
      read_cpu(tree);
    else
      read_gpu(tree);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(ShippedDevices, AreReadableUnderEveryRuntimeOfTheirKind) {
  int read = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kFolder)) {
    const std::string name = entry.path().filename().string();
    const std::string kind = entry.path().parent_path().filename().string();
    if (kind != "npu" && kind != "cpu" && kind != "gpu") continue;
    std::vector<std::string> runtimes;
    const Value tree = load_hardware_tree(test::hardware_file(name), {});
    if (tree.find("kind")->text() == "npu") continue;
    runtimes = {find_path(tree, "runtime.part")->text()};
    if (tree.find("isa")->text() == "cuda") runtimes = {"llama.cpp-cuda", "mlc", "tensorrt", "vllm"};
    if (tree.find("isa")->text() == "metal") runtimes = {"llama.cpp-metal", "mlx"};
    if (tree.find("isa")->text() == "neon_dotprod") runtimes = {"llama.cpp-cpu", "executorch"};
    for (const std::string& runtime : runtimes)
      EXPECT_EQ(error_of(name, {"runtime.part=" + runtime}), "") << name << " " << runtime;
    read += !runtimes.empty();
  }
  EXPECT_GE(read, 60);
}

TEST(ShippedDevices, HaveTheBandwidthThatTheirNamesSay) {
  const auto peak = [](const std::string& file) {
    const Value tree = load_hardware_tree(test::hardware_file(file), {});
    return (tree.find("kind")->text() == "cpu" ? read_cpu(tree).memory : read_gpu(tree).memory)
               .peak()
               .count() /
           1e9;
  };
  EXPECT_NEAR(peak("gpu-orin-nano.yaml"), 102.4, 0.1);
  EXPECT_NEAR(peak("gpu-orin-nano-68gbps.yaml"), 68.3, 0.1);
  EXPECT_NEAR(peak("cpu-i5-12400.yaml"), 76.8, 0.1);
  EXPECT_NEAR(peak("cpu-i5-12400-ddr4.yaml"), 51.2, 0.1);
  EXPECT_NEAR(peak("cpu-cortex-a78ae.yaml"), 102.4, 0.1);
  EXPECT_NEAR(peak("cpu-raspberry-pi-5.yaml"), 17.1, 0.1);
  EXPECT_NEAR(peak("cpu-rk3588.yaml"), 33.8, 0.1);
}

TEST(Cpu, NamesAnInstructionSetThatTheRuntimeHasNoKernelsFor) {
  EXPECT_THAT(
      error_of("cpu-rk3588.yaml", {"isa=neon_dotprot"}),
      HasSubstr("the runtime llama.cpp-cpu has no kernels for the instruction set 'neon_dotprot'; it has: "
                "neon_dotprod, neon, avx2; did you mean 'neon_dotprod'?"));
}

TEST(Runtime, NamesTheNearestOperatorForLaunchesOfOneThatStepsDoNotHave) {
  EXPECT_THAT(error_of("gpu-apple-m1.yaml", {"runtime.launches.atention=2"}),
              HasSubstr("'atention' is no operator of a step"));
  EXPECT_THAT(error_of("gpu-apple-m1.yaml", {"runtime.launches.atention=2"}),
              HasSubstr("did you mean 'attention'?"));
}

TEST(Runtime, NamesTheNearestOperatorForAFusedKernelOfOneThatStepsDoNotHave) {
  const std::string error = error_of("gpu-apple-m1.yaml", {"runtime.fuse=[[attn_q, atn_k]]"});
  EXPECT_THAT(error, HasSubstr("--set runtime.fuse"));
  EXPECT_THAT(error, HasSubstr("'atn_k' is no operator of a step; there are: token_embd, attn_norm, "));
  EXPECT_THAT(error, HasSubstr("did you mean 'attn_k'?"));
  EXPECT_THAT(error, Not(HasSubstr("'attn_q' is no")));
}

TEST(Runtime, RefusesAFusedKernelThatIsNoListOfOperatorsOrListedTwice) {
  EXPECT_THAT(error_of("gpu-apple-m1.yaml", {"runtime.fuse=[[attn_q]]"}),
              HasSubstr("a fused kernel is a list of at least two operator names"));
  EXPECT_THAT(error_of("gpu-apple-m1.yaml", {"runtime.fuse=[[attn_q, {a: 1}]]"}),
              HasSubstr("is no operator of a step"));
  EXPECT_THAT(error_of("gpu-apple-m1.yaml", {"runtime.fuse=[[attn_q, attn_k], [attn_q, attn_k]]"}),
              HasSubstr("these operators are fused above already"));
}

TEST(Runtime, TakesAFactorOfALowRankMatrixForAnOperator) {
  EXPECT_EQ(error_of("gpu-apple-m1.yaml", {"runtime.fuse=[[attn_q.factor_a, attn_q.factor_b]]"}), "");
}

TEST(Runtime, ReadsTheKernelsOfInstructionSetsThatTheDeviceDoesNotHave) {
  EXPECT_THAT(error_of("cpu-rk3588.yaml", {"runtime.kernels.avx2.formats.Q4_K.simd=-3"}),
              HasSubstr("'simd': -3 is out of range"));
  EXPECT_THAT(error_of("cpu-rk3588.yaml", {"runtime.kernels.avx512=3"}),
              HasSubstr("the kernels for avx512 must be a map, found '3'"));
}

TEST(RuntimeFor, NamesTheRuntimesThatThereAre) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("edgenpu_runtime_for_" + std::to_string(::getpid()));
  fs::create_directories(folder / "runtime");
  std::ofstream(folder / "runtime" / "mlc.yaml") << "kind: runtime\n";
  std::ofstream(folder / "gpu.yaml") << "kind: gpu\nruntime_for: {q4f16: mlc, Q8_0: mlcc}\n";
  std::string error;
  try {
    load_hardware_tree((folder / "gpu.yaml").string(), {});
  } catch (const InputError& e) {
    error = e.what();
  }
  EXPECT_THAT(error, HasSubstr("gpu.yaml:2:33: no runtime part 'mlcc'; there are: mlc; did you mean 'mlc'?"));
  fs::remove_all(folder);
}

TEST(RuntimeFor, CannotBeOverriddenSinceItIsReadBefore) {
  EXPECT_THAT(error_of("gpu-orin-nano.yaml", {"runtime_for.Q4_K_M=mlc"}),
              HasSubstr("--set runtime_for.Q4_K_M=mlc: 'runtime_for' cannot be overridden; runtime.part=NAME "
                        "chooses the runtime"));
}

TEST(Cpu, RefusesARuntimeForAnotherKindOfDevice) {
  EXPECT_THAT(error_of("cpu-rk3588.yaml", {"runtime.part=mlc"}),
              HasSubstr("the runtime mlc does not run on a cpu"));
}

TEST(Cpu, SuggestsTheNearestKey) {
  EXPECT_THAT(error_of("cpu-rk3588.yaml", {"core.outstandin=4"}), HasSubstr("did you mean 'outstanding'?"));
}

TEST(Runtime, WantsEveryFunction) {
  EXPECT_THAT(error_of("gpu-orin-nano.yaml", {"runtime.kernels.cuda.functions.sofmax={float: 1}"}),
              HasSubstr("'sofmax' is not a function; there are: "));
}

TEST(Runtime, WantsFusedKernelsOfTwoOperatorsAtLeast) {
  EXPECT_THAT(error_of("gpu-orin-nano.yaml", {"runtime.fuse=[[attn_q]]"}),
              HasSubstr("a list of at least two operator names"));
}

TEST(Throughput, TakesTheLongestPipeOrTheIssueStage) {
  Throughput t;
  t.issue = 4;
  t.per_cycle[0] = 2;  // simd
  t.per_cycle[2] = 1;  // load
  Instructions mix;
  mix.count[0] = 10;
  EXPECT_DOUBLE_EQ(*t.cycles(mix), 5);  // the pipe
  mix.count[2] = 6;
  EXPECT_DOUBLE_EQ(*t.cycles(mix), 6);  // the other pipe
  t.issue = 2;
  EXPECT_DOUBLE_EQ(*t.cycles(mix), 8);  // all through the issue stage
  mix.count[3] = 1;
  EXPECT_FALSE(t.cycles(mix));  // no such pipe
}

TEST(Throughput, DoesNotIssueTensorWork) {
  Throughput t;
  t.issue = 1;
  t.per_cycle[kTensor] = 1024;
  Instructions mix;
  mix.count[kTensor] = 4096;
  EXPECT_DOUBLE_EQ(*t.cycles(mix), 4);
}

// A GPU without matrix units multiplies in place of other instructions.
TEST(Throughput, AddsProductsOfMatricesWhereTheLanesMakeThem) {
  Throughput t;
  t.issue = 128;
  t.per_cycle[3] = 128;  // float
  t.per_cycle[kTensor] = 102;
  t.matrix_on_lanes = true;
  Instructions mix;
  mix.count[3] = 256;
  mix.count[kTensor] = 1020;
  EXPECT_DOUBLE_EQ(*t.cycles(mix), 2 + 10);
}

TEST(Gpu, ScalesTimesOfTheHostByItsSpeed) {
  const auto times = [](const std::vector<std::string>& overrides) {
    const Runtime r = read_gpu(load_hardware_tree(test::hardware_file("npu-rk3588.yaml"), overrides)).runtime;
    return std::vector<std::int64_t>{r.per_token.count(), r.per_layer.count(), r.per_kernel.count(),
                                     r.per_logit.count()};
  };
  const auto once = times({"runtime.launch.per_layer=2 us"});
  const auto twice = times({"runtime.launch.per_layer=2 us", "host.speed=0.5"});
  for (std::size_t i = 0; i < once.size(); ++i) EXPECT_EQ(twice[i], 2 * once[i]);
  EXPECT_THAT(error_of("npu-rk3588.yaml", {"host.speed=0"}), HasSubstr("speed"));
}

TEST(Gpu, SaysWhereMatricesMayBeMultiplied) {
  EXPECT_TRUE(
      read_gpu(load_hardware_tree(test::hardware_file("gpu-apple-m1.yaml"), {})).throughput.matrix_on_lanes);
  EXPECT_FALSE(
      read_gpu(load_hardware_tree(test::hardware_file("gpu-orin-nano.yaml"), {})).throughput.matrix_on_lanes);
  EXPECT_THAT(error_of("gpu-apple-m1.yaml", {"multiprocessor.matrix=lane"}), HasSubstr("lanes"));
}

TEST(Runtimes, OfACpuLaunchNothing) {
  const auto error = [](const std::string& path) { return error_of("cpu-rk3588.yaml", {"runtime." + path}); };
  EXPECT_THAT(
      error("launch.graph=true"),
      HasSubstr("--set runtime.launch.graph=true: 'graph': is of kernels that a host launches; device: cpu "
                "has none, allowed: false"));
  EXPECT_THAT(error("launch.per_layer=1 ms"), HasSubstr("'per_layer': is of kernels that a host launches"));
  EXPECT_THAT(error("in_flight.warps=4"), HasSubstr("'in_flight': is of kernels that a host launches"));
}

TEST(Runtimes, SayWhatABlockTakesOfASplitKernel) {
  const auto read = [](const std::string& file, const std::string& path) {
    return error_of(file, {"runtime." + path});
  };
  EXPECT_EQ(read("gpu-orin-nano.yaml", "block.tokens=128"), "");
  EXPECT_THAT(read("gpu-orin-nano.yaml", "block.tokens=0"), HasSubstr("'tokens'"));
  EXPECT_THAT(read("gpu-orin-nano.yaml", "block.elements=2000000"), HasSubstr("'elements'"));
  EXPECT_THAT(read("cpu-rk3588.yaml", "block.tokens=64"),
              HasSubstr("is of attention that 'split: elements' shares"));
  EXPECT_THAT(read("gpu-orin-nano.yaml", "chunk_rows=64"), HasSubstr("only device: cpu has them"));
  EXPECT_THAT(read("cpu-rk3588.yaml", "chunk_rows=0"), HasSubstr("'chunk_rows'"));
}

TEST(Gpu, SaysHowManyBytesALoadFetches) {
  EXPECT_EQ(
      read_gpu(load_hardware_tree(kFolder + "gpu/gpu-orin-nano.yaml", {"multiprocessor.line=128 B"})).line,
      Bytes(128));
  EXPECT_THAT(error_of("gpu-orin-nano.yaml", {"multiprocessor.line=8 B"}), HasSubstr("'line'"));
}

TEST(Peaks, AreOfTheOperandsThatProductsAreCountedBy) {
  EXPECT_THAT(error_of("cpu-rk3588.yaml", {"core.peak.fp32=8"}), HasSubstr("--set core.peak.fp32"));
  EXPECT_THAT(error_of("gpu-orin-nano.yaml", {"multiprocessor.peak.fp32=8"}),
              HasSubstr("unknown key 'fp32'"));
}

}  // namespace
}  // namespace edgenpu::config
