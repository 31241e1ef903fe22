// Keys that the shipped files leave out, laid over them and changed: something must answer, as for those that are
// there (leaves_test.cpp).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iostream>

#include "config/resolve.h"
#include "simulate/memory_probes.h"
#include "simulate/npu_probes.h"
#include "support/shipped.h"

namespace edgenpu {
namespace {

using test::Probe;
using ::testing::IsEmpty;
using Probes = std::function<std::vector<Probe>(const config::Value& tree)>;

// Of `keys` laid over `base`.
void expect_answers(const config::Value& base, const std::string& what, const char* keys,
                    const Probes& probes_of) {
  const config::Value laid = config::parse_text(keys, "keys");
  const config::Value tree = config::merge(base, laid);
  std::set<std::string> mine;
  for (const test::Leaf& leaf : test::leaves_of(laid)) mine.insert(test::dotted(leaf.steps));
  const test::Tally tally = test::change_leaves(tree, probes_of(tree), [&](const std::string& path) {
    return test::is_documentation(path) || mine.count(path) == 0;
  });
  std::cout << tally.text(what) << std::endl;
  EXPECT_GT(tally.leaves, 0);
  EXPECT_THAT(tally.dead, IsEmpty());
}

config::Value shipped(const std::string& name) {
  const std::string folder = EDGENPU_SOURCE_DIR + std::string("/hw_configs");
  return config::load_hardware_tree(test::hardware_file(name), {}, "", folder);
}

constexpr const char* kMemory = R"(
reserve: 64 MiB
ideal: false
row_cost: true
confirmed: true
temperature: 90 C
hot_temperature: 85 C
hot_refresh_divisor: 2
controller: {page_policy: timeout, page_timeout: 100 CK, postpone: 2, power_down_after: 20 CK,
             self_refresh_after: 2000 CK, latency: 10 ns, fabric_latency: 20 ns}
source: {reserve: "assumed: a test", temperature: "assumed: a test", hot_temperature: "assumed: a test",
         hot_refresh_divisor: "assumed: a test"}
)";

class OptionalKeysOfMemory : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(All, OptionalKeysOfMemory, ::testing::Values("lpddr5-6400", "ddr4-3200"));

TEST_P(OptionalKeysOfMemory, ChangeSomething) {
  const config::Value part =
      config::parse_file(std::string(EDGENPU_SOURCE_DIR) + "/hw_configs/memory/" + GetParam() + ".yaml");
  expect_answers(part, GetParam(), kMemory, test::memory_probes);
}

TEST(OptionalKeysOfAnNpu, ChangeADecodeStep) {
  const config::Value base = shipped("npu-raiderchip-asic-cpu");
  const test::ToySteps steps(base);
  expect_answers(base, "NPU, decode", R"(
vector:
  operations:
    softmax: [{operations: 2, reduce: true}, {operations: 3, read: true, write: true, reduce: true}, {operations: 2}]
    source: "assumed: a test"
scratchpad: {conflicts: true}
dma: {gather: true, list_entry: 16 B, list: dram, source: "assumed: a test"}
interconnect: {arbitration: fixed, first: load}
lowering: {double_buffering: true, kv_page: 16, tile: 1 KiB, operands: {output: fp16}, source: {kv_page: "assumed: a test",
           tile: "assumed: a test"}}
memory: {background: {bandwidth: 1 GB/s, request: 512 B, source: "assumed: a test"}}
)",
                 [&](const config::Value& tree) { return test::npu_probes(steps, tree); });
}

TEST(OptionalKeysOfAnNpu, ChangeAPrompt) {
  const config::Value base = shipped("npu-raiderchip-asic-cpu");
  const test::ToySteps steps(base);
  const Probe prompt = steps.of("prompt", test::toy_trace(base, {false, true, "f16", 64, 1}));
  const Probe probe = test::with(prompt, "{scratchpad: {size: 256 KiB}}");
  for (const char* keys : {R"(
matrix: {dataflow: weight_stationary, weight_load: serial, split: outputs}
lowering: {fusion: {activation: true, rope: true, norm: true},
           plan: {ffn_down: {order: outputs, tile_m: 32, tile_n: 64, tile_k: 256, split: rows}}}
)",
                           "matrix: {dataflow: output_stationary, drain: serial}"})
    expect_answers(base, "NPU, prompt", keys, [&](const config::Value&) {
      return std::vector<Probe>{prompt, probe};
    });
}

}  // namespace
}  // namespace edgenpu
