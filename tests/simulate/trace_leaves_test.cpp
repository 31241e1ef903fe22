// Every leaf of a layer trace, changed: the step on an NPU must change, or the reader must refuse it.
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <iostream>
#include <unistd.h>

#include "config/resolve.h"
#include "report/json.h"
#include "simulate.h"
#include "support/leaves.h"

namespace edgenpu {
namespace {

using config::Value;
namespace fs = std::filesystem;

struct File {
  const std::string path =
      (fs::temp_directory_path() / ("edgenpu-trace-leaves-" + std::to_string(::getpid()) + ".yaml")).string();
  ~File() { fs::remove(path); }
};

// Everything that `run` says of the step, but for what it cost.
std::string step_of(const Value& trace) {
  static const File file;
  static const Value hardware =
      config::load_hardware_tree(std::string(EDGENPU_SOURCE_DIR) + "/hw_configs/npu/npu-raiderchip-asic.yaml",
                                 {}, "", std::string(EDGENPU_SOURCE_DIR) + "/hw_configs");
  std::ofstream(file.path) << test::written(trace);
  StepRequest request;
  request.hardware = "leaves";
  request.trace_file = file.path;
  result::StepResult r = simulate(request, hardware, Process::child);
  r.inputs.resolved_hardware = std::make_shared<const Value>(Value::empty_map({}));
  r.simulation = {};
  return report::json(r, {"", ""});
}

TEST(TraceFiles, HaveNoLeafThatChangesNothing) {
  const Value tree = config::parse_file(std::string(EDGENPU_SOURCE_DIR) + "/traces/tiny.yaml");
  const test::Tally tally = test::change_leaves(tree, {step_of}, [](const std::string&) { return false; });
  std::cout << tally.text("trace") << std::endl;
  EXPECT_GT(tally.leaves, 40);
  EXPECT_THAT(tally.dead, ::testing::IsEmpty());
}

// A layer with the operators that the other has not.
TEST(TraceFiles, HaveNoLeafThatChangesNothingInTheOperatorsOfALayer) {
  const Value tree = config::parse_text(R"yaml(
schema: 1
model: layer
quant: Q8_0
phase: prefill
context: 0
tokens: 2
batch: 1
kv_format: Q8_0
resident_weights: 1 MiB
resident_kv: 1 KiB
operators:
  - {op: matmul, name: q, m: 2, n: 64, k: 64, format: Q8_0, input_on_chip: true, needs: []}
  - {op: rope, name: rope, m: 2, heads: 1, head_dim: 64, needs: [q]}
  - {op: kv_write, name: kv_write, m: 2, kv_heads: 1, head_dim: 64, kv_format: Q8_0, needs: [rope]}
  - {op: attention, name: attention, m: 2, heads: 1, kv_heads: 1, head_dim: 64, cached: 0, kv_format: Q8_0, requests: 1, needs: [q, rope]}
  - {op: activation, name: act, function: silu, m: 2, width: 64, gated: false, needs: [attention]}
  - {op: add, name: add, m: 2, width: 64, needs: [act, q]}
  - {op: sample, name: sample, m: 1, vocab: 64, needs: [add]}
)yaml",
                                        "layer.yaml");
  const test::Tally tally = test::change_leaves(tree, {step_of}, [](const std::string&) { return false; });
  std::cout << tally.text("trace of a layer") << std::endl;
  EXPECT_GT(tally.leaves, 40);
  EXPECT_THAT(tally.dead, ::testing::IsEmpty());
}

}  // namespace
}  // namespace edgenpu
