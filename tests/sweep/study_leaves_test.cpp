// Every value that a study's file can hold does something: changed, it changes the points, their inputs or verdicts, the
// limits of a run, what is printed about the study, or it is refused.
#include <gmock/gmock.h>
#include <iostream>
#include <sstream>

#include "support/leaves.h"
#include "sweep/metrics.h"
#include "sweep/study_fixture.h"

namespace edgenpu::sweep {
namespace {

using StudyLeaves = test::StudyFolder;
using config::Value;

// Few points each: every change makes them all anew.
const std::vector<std::string> kStudies = {R"yaml(study: leaves
question: What changes?
hardware: $H/npu/npu-raiderchip-asic.yaml
model: smollm2-135m
workload: {quant: Q4_K_M, phase: decode, context: 64, batch: 2, kv: f16, detail: row, repeat: memo}
set: {memory.refresh: pb, matrix.pipeline: 10 cycles}
axes:
  grid:
    scratchpad.size: {from: 512 KiB, to: 2 MiB, steps: 3, scale: log}
  zip:
    - {memory.channels: [4, 8], dma.channels: [2, 4]}
derive:
  memory.capacity: "printf('%d GiB', 2 * memory_channels)"
exclude:
  - scratchpad_size_B > 1e6 and memory_channels < 8
constraints:
  - dma_channels < 4 or batch = 1
  - power_W * context < 100
limits: {timeout: 60 s, memory: 2 GiB}
)yaml",
                                           R"yaml(study: prompts
hardware: $H/npu/npu-raiderchip-asic.yaml
model: smollm2-135m
workload: {phase: prefill, prompt: 16, context: 4}
axes:
  random: {points: 7, seed: 1, over: {matrix.engines: [1, 2, 4], clock: {from: 400 MHz, to: 1600 MHz, step: 50 MHz}}}
)yaml",
                                           R"yaml(study: hypercube
hardware: $H/npu/npu-raiderchip-asic.yaml
model: smollm2-135m
axes:
  latin_hypercube: {points: 2, seed: 3, over: {vector.lanes: {from: 16, to: 64, scale: log}}}
  grid:
    dma.outstanding: {from: 64, to: 128, step: 64}
)yaml"};

std::string text_of(const Expansion& e) {
  std::ostringstream text;
  const Study& s = e.study();
  text << s.name << s.question << s.timeout_s << " " << s.memory_B << "\n";
  for (const std::string& note : e.notes()) text << note << "\n";
  for (const std::string& c : e.columns()) text << c << " ";
  Constraints constraints = e.constraints();
  for (const Point& p : e.points()) {
    text << "\n" << p.id << " " << p.broken;
    for (const result::Cell& c : p.inputs) text << " " << result::to_text(c);
    for (std::size_t i = 0; i < p.inputs.size(); ++i) constraints.set(e.columns()[i], p.inputs[i]);
    for (std::size_t i = 0; i < p.constrained.size(); ++i)
      constraints.set(e.constrained_columns()[i], p.constrained[i]);
    for (const std::string& c : output_columns()) constraints.set(c, 1.0);
    text << constraints.after_run().message();
  }
  return text.str();
}

TEST_F(StudyLeaves, AllDoSomething) {
  const test::Probe points = [&](const Value& tree) {
    const std::string file = write("leaves.yaml", test::written(tree));
    return text_of(Expansion(read_study(file), EDGENPU_SOURCE_DIR, "test"));
  };
  int count = 0;
  for (std::string text : kStudies) {
    text.replace(text.find("$H"), 2, std::string(EDGENPU_SOURCE_DIR) + "/hw_configs");
    const test::Tally tally = test::change_leaves(config::parse_text(text, "leaves.yaml"), {points},
                                                  [](const std::string&) { return false; });
    std::cout << tally.text("study") << std::endl;
    EXPECT_THAT(tally.dead, ::testing::IsEmpty());
    count += tally.leaves;
  }
  EXPECT_GT(count, 50);
}

}  // namespace
}  // namespace edgenpu::sweep
