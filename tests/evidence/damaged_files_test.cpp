// Files that were cut, doubled and overwritten in places are read or refused, and never end in anything else.
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <random>

#include "evidence/calibration_spec.h"
#include "evidence/llama_bench.h"
#include "evidence/mapping_fixture.h"

namespace edgenpu::evidence {
namespace {

using DamagedFiles = test::StudyFolder;

std::string content(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string damaged(std::string text, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : random() % n; };
  static const std::string bytes("\0\xff\"'[]{}:,-\n\t|#&*!%@0", 21);
  for (std::size_t i = 0; i < 1 + below(4); ++i) {
    const std::size_t at = below(text.size()), n = std::min<std::size_t>(below(40), text.size() - at);
    switch (below(4)) {
      case 0:
        text.erase(at, n);
        break;
      case 1:
        text.insert(at, text.substr(at, n));
        break;
      case 2:
        text.resize(at);
        break;
      default:
        if (!text.empty()) text[at] = bytes[below(bytes.size())];
    }
  }
  return text;
}

// `read` is given each; another exception than InputError ends the test.
void each_damage(const std::string& text, int times, const std::function<void(const std::string&)>& read) {
  std::mt19937 random(1);
  int refused = 0;
  for (int i = 0; i < times; ++i) {
    const std::string bad = damaged(text, random);
    try {
      read(bad);
    } catch (const InputError& e) {
      ++refused;
      EXPECT_NE(std::string(e.what()).find("f.x"), std::string::npos) << e.what();
    } catch (const std::exception& e) {
      ADD_FAILURE() << e.what() << "\n" << bad;
    }
  }
  EXPECT_GT(refused, 0);
}

TEST_F(DamagedFiles, OfLlamaBench) {
  const Mapping mapping = shipped();
  const std::string hardware = std::string(EDGENPU_SOURCE_DIR) + "/hw_configs/cpu/cpu-rk3588.yaml";
  for (const char* form : {"json", "jsonl", "csv", "md", "sql"})
    each_damage(content(std::string(EDGENPU_SOURCE_DIR) + "/tests/data/llama-bench/bench." + form), 60,
                [&](const std::string& bad) {
                  for (const Measurement& m : read_llama_bench(write("f.x", bad), "board").rows)
                    mapping.map_onto(m, hardware);
                });
}

TEST_F(DamagedFiles, OfMeasurements) {
  const Mapping mapping = shipped();
  const std::string rows =
      "- {id: a, device: Raspberry Pi 5, device_class: cpu, model: SmolLM2-135M, quant: Q8_0, runtime: "
      "llama.cpp, "
      "prompt_tokens: 64, threads: 3, params_B: 1.5, decode_tok_s: 70, memory: {type: LPDDR4X, peak_GBps: "
      "17.1}}\n"
      "- id: b\n  device: RK3588\n  device_class: npu\n  model: Qwen2.5 (1.5B)\n  decode_tok_s: 4\n  quant: "
      "w8a8\n";
  each_damage(rows, 150, [&](const std::string& bad) {
    for (const Measurement& m : read_measurements(write("f.x", bad)).rows) mapping.map(m);
  });
}

TEST_F(DamagedFiles, OfMappings) {
  const Measurement m = row("board", "cpu", "smollm2-135m", "Q8_0", "llama.cpp");
  each_damage(
      "kind: measurement_mapping\ndevices:\n  - {when: {device: \"bo+ard$\"}, cannot: \"x\"}\n"
      "runtimes: []\nquants:\n  - {when: {quant: \"q8\"}, use: Q8_0}\nmodels: []\ncontexts:\n"
      "  - {when: {runtime: \"^(?!x)llama\"}, block: 128, prompt: context}\nscopes: []\n",
      150, [&](const std::string& bad) { Mapping(write("f.x", bad), EDGENPU_SOURCE_DIR).map(m); });
}

TEST_F(DamagedFiles, OfCalibrations) {
  each_damage(
      "kind: calibrated\nclasses:\n  - {name: a, platform: '^npu', runtime: rkllm, rows: 7, parameters: "
      "[{path: a.b, factor: 1.25, low: 0.5, high: 2, meaning: m, source: s}]}\n",
      150, [&](const std::string& bad) { read_calibrated(write("f.x", bad)); });
}

}  // namespace
}  // namespace edgenpu::evidence
