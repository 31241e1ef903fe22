// Traces as kernels for CPUs and GPUs: what is fused, what is read, what it costs, what may be left out.
#include "lowering/kernel_lower.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "config/resolve.h"
#include "lowering/kernel_memo.h"
#include "support/shipped.h"
#include "workload/generate.h"

namespace edgenpu::lowering {
namespace {

const std::string kSource = EDGENPU_SOURCE_DIR;

config::Value tree(const std::string& name, const std::vector<std::string>& overrides = {}) {
  return config::load_hardware_tree(test::hardware_file(name), overrides);
}

workload::Trace decode(const std::string& model, const std::string& quant, std::int64_t context = 100) {
  return workload::generate_decode(workload::find_model(model, kSource), quant, context);
}

Bytes bytes_read(const KernelProgram& program) {
  Bytes sum{0};
  for (const Kernel& k : program.kernels)
    for (const KernelPart& p : k.parts) sum += p.read_bytes();
  return sum;
}

std::string names(const KernelProgram& program, const Kernel& kernel) {
  std::string text;
  for (const KernelPart& p : kernel.parts)
    text +=
        (text.empty() ? "" : "+") + program.operator_names[static_cast<std::size_t>(activity::index(p.op))];
  return text;
}

TEST(KernelLowering, ReadsWritesAndMultipliesWhatTheTraceNeeds) {
  for (const char* name : {"gpu-orin-nano", "cpu-rk3588"}) {
    const workload::Trace trace = decode("qwen2.5-0.5b", "Q4_K_M");
    const config::Value t = tree(name);
    const KernelProgram program = std::string(name).rfind("gpu", 0) == 0
                                      ? lower_kernels(trace, config::read_gpu(t))
                                      : lower_kernels(trace, config::read_cpu(t));
    EXPECT_EQ(bytes_read(program), workload::requested_read(trace)) << name;
    Bytes written{0};
    Macs macs{0};
    for (const Kernel& k : program.kernels)
      for (const KernelPart& p : k.parts) {
        written += p.write_bytes();
        macs += p.macs;
      }
    EXPECT_EQ(written, workload::requested_write(trace)) << name;
    EXPECT_EQ(macs, workload::total_macs(trace)) << name;
  }
}

TEST(KernelLowering, FusesWhatTheRuntimeListsAndNothingElse) {
  const workload::Trace trace = decode("llama-3.2-1b", "q4f16");
  const KernelProgram program =
      lower_kernels(trace, config::read_gpu(tree("gpu-orin-nano", {"runtime.part=mlc"})));
  std::vector<std::string> layer;
  for (const Kernel& k : program.kernels)
    if (k.layer == 1) layer.push_back(names(program, k));
  EXPECT_THAT(layer,
              ::testing::ElementsAre("blk.1.attn_q+blk.1.attn_k+blk.1.attn_v", "blk.1.rope_q+blk.1.rope_k",
                                     "blk.1.kv_write", "blk.1.attention", "blk.1.attn_output",
                                     "blk.1.attn_add+blk.1.ffn_norm", "blk.1.ffn_gate+blk.1.ffn_up",
                                     "blk.1.ffn_act", "blk.1.ffn_down", "blk.1.ffn_add+blk.2.attn_norm"));
}

TEST(KernelLowering, QuantisesTheInputOfAnIntegerProductInAKernelBeforeIt) {
  const workload::Trace trace = decode("llama-3.2-1b", "Q4_K_M");
  const KernelProgram program = lower_kernels(trace, config::read_cpu(tree("cpu-rk3588")));
  int quantisations = 0, products = 0;
  for (const Kernel& k : program.kernels) {
    const auto& op = trace.operators[static_cast<std::size_t>(activity::index(k.parts[0].op))];
    const bool product = std::holds_alternative<workload::MatMul>(op.body);
    if (product && k.parts[0].read_bytes() == Bytes(0)) ++quantisations;
    if (product && k.parts[0].read_bytes() > Bytes(0)) ++products;
  }
  EXPECT_EQ(quantisations, products);
  const KernelProgram f16 =
      lower_kernels(decode("llama-3.2-1b", "F16"), config::read_cpu(tree("cpu-rk3588")));
  EXPECT_LT(f16.kernels.size(), program.kernels.size());
}

// 4096 x 4096 weights in Q4_K on NEON: 16 super-blocks a row of 70 + 36 + 36 instructions, 28 more a
// row, 1.65 a cycle.
TEST(KernelLowering, CountsCyclesFromInstructions) {
  const workload::Trace trace = decode("llama-3.1-8b", "Q4_K_S");
  const KernelProgram program = lower_kernels(trace, config::read_cpu(tree("cpu-rk3588")));
  int found = 0;
  for (const Kernel& k : program.kernels) {
    if (names(program, k) != "blk.5.attn_q" || k.parts[0].read_bytes() == Bytes(0)) continue;
    ++found;
    EXPECT_EQ(k.parts[0].cycles.count(), static_cast<std::int64_t>(std::ceil((16 * 142 + 28) * 4096 / 1.65)));
  }
  EXPECT_EQ(found, 1);
}

// The same matrix for a prompt of 512: 40 instructions per 256 weights and row in the matrix kernel, 28 per
// output row and tile of four; Q4_K has no matrix kernel on NEON.
TEST(KernelLowering, CountsMatrixKernelsOfThoseFormatsThatHaveThem) {
  const auto cycles = [](const char* quant) {
    const workload::Trace trace =
        workload::generate_prefill(workload::find_model("llama-3.1-8b", kSource), quant, 512);
    const KernelProgram program = lower_kernels(trace, config::read_cpu(tree("cpu-rk3588")));
    for (const Kernel& k : program.kernels)
      if (names(program, k) == "blk.5.attn_q" && k.parts[0].read_bytes() > Bytes(0))
        return k.parts[0].cycles.count();
    return std::int64_t{0};
  };
  EXPECT_EQ(cycles("Q4_0"), static_cast<std::int64_t>(std::ceil((16.0 * 40 * 512 + 28 * 128) * 4096 / 1.65)));
  EXPECT_EQ(cycles("Q4_K_S"), static_cast<std::int64_t>(std::ceil((16.0 * 142 + 28) * 512 * 4096 / 1.65)));
}

// Work is in the first of an operator's kernels; the others are launched, and read nothing.
TEST(KernelLowering, LaunchesTheKernelsOfAnUnfusedOperator) {
  const workload::Trace trace = decode("llama-3.2-1b", "Q4_0");
  const KernelProgram one = lower_kernels(
      trace, config::read_gpu(tree("gpu-apple-m1", {"runtime.launches={attention: 1, source: test}"})));
  const KernelProgram four = lower_kernels(
      trace, config::read_gpu(tree("gpu-apple-m1", {"runtime.launches={attention: 4, source: test}"})));
  EXPECT_EQ(four.kernels.size(), one.kernels.size() + 3 * 16);
  EXPECT_EQ(bytes_read(four), bytes_read(one));
  int attention = 0;
  for (const Kernel& k : four.kernels) attention += names(four, k) == "blk.3.attention";
  EXPECT_EQ(attention, 4);
}

TEST(KernelLowering, NamesTheRuntimeFormatAndTensorThatDoNotGoTogether) {
  try {
    lower_kernels(decode("llama-3.2-1b", "q4f16"), config::read_gpu(tree("gpu-orin-nano")));
    FAIL();
  } catch (const InfeasibleError& e) {
    EXPECT_THAT(e.what(), ::testing::StartsWith(
                              "the runtime llama.cpp-cuda has no kernel for Q4F16_32 (blk.0.attn_q)"));
  }
}

TEST(KernelLowering, RefusesAModelThatDoesNotFit) {
  EXPECT_THROW(lower_kernels(decode("llama-2-7b", "F16"), config::read_gpu(tree("gpu-orin-nano"))),
               InfeasibleError);
}

TEST(KernelMemo, KeepsTwoLayersOfEachKindAndEverythingOutside) {
  const workload::Trace trace = decode("llama-3.1-8b", "Q4_K_M");  // layers with and without Q6_K
  const KernelProgram program = lower_kernels(trace, config::read_cpu(tree("cpu-rk3588")));
  const KernelMemo memo = memoise(program);
  EXPECT_EQ(memo.layers, 32);
  EXPECT_EQ(memo.simulated_layers, 4);
  int outside = 0, kept_outside = 0;
  for (const Kernel& k : program.kernels) outside += k.layer < 0;
  for (const Kernel& k : memo.program.kernels) kept_outside += k.layer < 0;
  EXPECT_EQ(kept_outside, outside);
}

TEST(KernelMemo, LetsOperatorsStandForOperatorsOfTheSameShapeOnly) {
  const workload::Trace trace = decode("llama-3.1-8b", "Q4_K_M");
  const KernelMemo memo = memoise(lower_kernels(trace, config::read_cpu(tree("cpu-rk3588"))));
  for (std::size_t op = 0; op < trace.operators.size(); ++op) {
    const workload::OperatorBody& own = trace.operators[op].body;
    const workload::OperatorBody& other = trace.operators[static_cast<std::size_t>(memo.source[op])].body;
    EXPECT_EQ(own.index(), other.index());
    EXPECT_EQ(workload::weight_bytes(own), workload::weight_bytes(other));
    EXPECT_EQ(workload::macs(own), workload::macs(other));
  }
}

}  // namespace
}  // namespace edgenpu::lowering
