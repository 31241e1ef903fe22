// Every value that a study's file can hold does something: changed, it changes the points, their inputs or verdicts, the
// limits of a run, what is printed about the study, or it is refused.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sstream>

#include "config/value.h"
#include "study/metrics.h"
#include "study/study_fixture.h"

namespace edgenpu::study {
namespace {

using StudyLeaves = test::StudyFolder;
using config::Value;

// Few points each: every change makes them all anew.
const std::vector<std::string> kStudies = {R"yaml(study: leaves
question: What changes?
hardware: $H/npu-raiderchip-asic.yaml
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
hardware: $H/npu-raiderchip-asic.yaml
model: smollm2-135m
workload: {phase: prefill, prompt: 16, context: 4}
axes:
  random: {points: 7, seed: 1, over: {matrix.engines: [1, 2, 4], clock: {from: 400 MHz, to: 1600 MHz, step: 50 MHz}}}
)yaml",
                                           R"yaml(study: hypercube
hardware: $H/npu-raiderchip-asic.yaml
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

struct Leaf {
  std::string path;
  Value value;
};

void leaves_of(const Value& node, const std::string& path, std::vector<Leaf>& leaves) {
  if (node.is_scalar()) leaves.push_back({path, node});
  for (std::size_t i = 0; i < node.items().size(); ++i)
    leaves_of(node.items()[i], fmt::format("{}[{}]", path, i), leaves);
  for (const Value::Entry& e : node.entries()) leaves_of(e.value, path + "." + e.key, leaves);
}

std::string replaced(std::string text, const Value& leaf, const std::string& other) {
  std::size_t line = 0;
  for (int n = 1; n < leaf.position().line; ++n) line = text.find('\n', line) + 1;
  const std::size_t at = text.find(leaf.text(), line + static_cast<std::size_t>(leaf.position().column) - 1);
  return text.replace(at, leaf.text().size(), other);
}

// Other values than `text`, of the same kind as far as that shows.
std::vector<std::string> others(const std::string& text) {
  for (const auto& choices : std::vector<std::vector<std::string>>{{"ab", "pb", "none"},
                                                                   {"decode", "prefill"},
                                                                   {"f16", "q8_0"},
                                                                   {"row", "burst"},
                                                                   {"memo", "full"},
                                                                   {"log", "linear"},
                                                                   {"Q4_K_M", "Q8_0"},
                                                                   {"smollm2-135m", "smollm2-360m"}}) {
    std::vector<std::string> rest;
    for (const std::string& c : choices)
      if (c != text) rest.push_back(c);
    if (rest.size() < choices.size()) return rest;
  }
  if (std::isdigit(static_cast<unsigned char>(text[0]))) {
    std::size_t end = 0;
    const double n = std::stod(text, &end);
    return {fmt::format("{}{}", 2 * n, text.substr(end))};
  }
  if (text.find_first_of("<>=") != std::string::npos) return {"not (" + text + ")", text + " and batch < 2"};
  return {text + "x"};
}

TEST_F(StudyLeaves, AllDoSomething) {
  const auto outcome = [&](const std::string& study) {
    try {
      return text_of(Expansion(read_study(write("leaves.yaml", study)), EDGENPU_SOURCE_DIR, "test"));
    } catch (const InputError& e) {
      return std::string(e.what());
    }
  };
  std::size_t count = 0;
  for (std::string text : kStudies) {
    text.replace(text.find("$H"), 2, std::string(EDGENPU_SOURCE_DIR) + "/hw_configs");
    const std::string before = outcome(text);
    ASSERT_EQ(before.find("leaves.yaml"), std::string::npos) << before;
    std::vector<Leaf> leaves;
    leaves_of(config::parse_text(text, "leaves.yaml"), "", leaves);
    count += leaves.size();
    for (const Leaf& leaf : leaves)
      for (const std::string& other : others(leaf.value.text()))
        EXPECT_FALSE(outcome(replaced(text, leaf.value, other)) == before)
            << leaf.path << ": " << leaf.value.text() << " -> " << other;
  }
  EXPECT_GT(count, 50u);
}

}  // namespace
}  // namespace edgenpu::study
