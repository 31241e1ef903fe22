// Every value of a mapping, of a calibration and of a measurement does something, or is refused where it
// stands.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <iostream>
#include <set>

#include "evidence/calibration_spec.h"
#include "evidence/mapping_fixture.h"
#include "support/leaves.h"

namespace edgenpu::evidence {
namespace {

using config::Value;
using ::testing::HasSubstr;

class Leaves : public test::StudyFolder {
 protected:
  using Answer = std::function<std::string(const std::string& file)>;

  // Every leaf counts but those whose last key is `idle`.
  void each_counts(const std::string& what, const std::string& yaml, const std::set<std::string>& idle,
                   const Answer& answer) const {
    const test::Probe probe = [&](const Value& tree) {
      const std::string file = write("f.yaml", test::written(tree));
      try {
        return answer(file);
      } catch (const InputError& e) {
        EXPECT_THAT(e.what(), HasSubstr(":1:")) << test::written(tree);  // in one line
        throw;
      }
    };
    const test::Tally tally = test::change_leaves(
        config::parse_text(yaml, "t"), {probe},
        [&](const std::string& path) { return idle.count(path.substr(path.rfind('.') + 1)) > 0; });
    std::cout << tally.text(what) << std::endl;
    EXPECT_GT(tally.leaves, 0);
    EXPECT_THAT(tally.dead, ::testing::IsEmpty());
  }
};

std::string text_of(const Mapped& m) {
  std::string text =
      fmt::format("{} {} {} {} {} {} {} {} {} {} {} {}\n", m.reason, m.request.hardware, m.request.model,
                  m.request.quant, m.request.context, m.request.prompt, m.prompt_step, m.prompt_cached,
                  m.kind, m.runtime, m.energy_scope, m.scope_reason);
  for (const config::Override& o : m.overrides) text += o.path + "=" + config::canonical_text(o.value) + "\n";
  for (const std::string& note : m.notes) text += note + "\n";
  return text;
}

constexpr const char* kMapping = R"(
kind: measurement_mapping
default_context: 300
default_prompt: 200
devices:
  - {when: {device: "^bad"}, cannot: "a bad one"}
  - {when: {device: "generic"}, hardware: HW/cpu/generic-cpu-arm.yaml, scale: cores, peak: 30 GB/s, set: {clock: 2 GHz}, note: "a generic one"}
  - {when: {device: "board"}, hardware: HW/cpu/cpu-rk3588.yaml, set: {cores: 2}, note: "a board"}
runtimes:
  - {when: {runtime: "llama"}, part: llama.cpp-cpu, set: {runtime.launch.per_token: 3 us}, note: "a part"}
  - {when: {runtime: "none"}, cannot: "no such runtime"}
quants:
  - {when: {quant: "q8"}, use: Q8_0, note: "eight"}
  - {when: {quant: "q1"}, cannot: "no such format"}
models:
  - {when: {model: "smol"}, use: smollm2-135m, note: "small"}
  - {when: {model: "huge"}, cannot: "too large"}
contexts:
  - {when: {runtime: "llama"}, prompt: context, block: 128, whole_cache: true, note: "blocks"}
  - {when: {runtime: "fixed"}, tokens: 512}
  - {when: {runtime: "apart"}, prompt: "false"}
backends:
  - {when: {backend: "cuda"}, kind: cpu, runtime: "cpu"}
  - {when: {backend: "rpc"}, cannot: "many"}
scopes:
  - {when: {scope: "board"}, use: module}
  - {when: {scope: "rail"}, use: rail VDD}
  - {when: {scope: "unknown"}, cannot: "unknown"}
)";

std::string mapped_rows(const std::string& file) {
  const Mapping mapping(file, EDGENPU_SOURCE_DIR);
  Measurement m = row("board", "cpu", "smol", "q8", "llama");
  std::string text = text_of(mapping.map(m));
  const auto one = [&](auto change) {
    Measurement other = m;
    change(other);
    text += text_of(mapping.map(other));
  };
  one([](Measurement& r) { r.device = "bad"; });
  one([](Measurement& r) { r.device = "generic"; });
  one([](Measurement& r) { r.runtime = "none"; });
  one([](Measurement& r) { r.quant = "q1"; });
  one([](Measurement& r) { r.model = "huge"; });
  one([](Measurement& r) { r.context = 1000; });
  one([](Measurement& r) { r.runtime = "fixed"; });
  for (const char* runtime : {"apart", "other"})
    one([&](Measurement& r) {
      r.runtime = runtime;
      r.prompt = 64;
      r.generated = 10;
    });
  for (const char* scope : {"board", "rail", "unknown"}) one([&](Measurement& r) { r.power_scope = scope; });
  for (const char* backend : {"cuda", "rpc"})
    one([&](Measurement& r) {
      r.bench.emplace();
      r.bench->backends = backend;
    });
  return text;
}

TEST_F(Leaves, OfAMappingCount) {
  std::string yaml = kMapping;
  const std::string folder = std::string(EDGENPU_SOURCE_DIR) + "/hw_configs";
  std::filesystem::create_directory_symlink(folder, path("HW"));
  each_counts("mapping", yaml, {"source"}, mapped_rows);
}

TEST_F(Leaves, OfACalibrationCount) {
  each_counts(
      "calibrated",
      "kind: calibrated\nclasses: [{name: a, platform: '^npu', runtime: rkllm, rows: 7, parameters: [{path: "
      "a.b, "
      "factor: 1.25, low: 0.5, high: 2, meaning: m, source: s}]}]\n",
      {"meaning", "source", "rows", "low", "high"}, [](const std::string& file) {
        const ClassSpec c = read_calibrated(file).at(0);
        return fmt::format("{} {} {} {} {}", c.name, c.platform_text, c.runtime_text, c.parameters.at(0).path,
                           c.parameters.at(0).factors.at(0));
      });
  each_counts(
      "calibration",
      "kind: calibration\nclasses: [{name: a, platform: '^npu', runtime: rkllm, parameters: [{path: a.b, "
      "factors: [0.5, 1, 2]}]}]\n",
      {}, [](const std::string& file) {
        const ClassSpec c = read_calibration(file).at(0);
        std::string text = c.name + c.platform_text + c.runtime_text + c.parameters.at(0).path;
        for (const double f : c.parameters.at(0).factors) text += fmt::format(" {}", f);
        return text;
      });
}

TEST_F(Leaves, OfAMeasurementCount) {
  // The rest is for the reader: peak_basis, notes, figures that follow from others.
  each_counts(
      "measurements",
      "[{id: x, device: Raspberry Pi 5, device_class: cpu, chip: BCM2712, memory: {type: LPDDR4X, peak_GBps: "
      "17.1}, "
      "tdp_or_power_mode_W: 12 W, model: SmolLM2-135M, params_B: 0.135, quant: Q8_0, runtime: llama.cpp, "
      "threads: 3, "
      "prompt_tokens: 64, gen_tokens: 20, context: 90, batch: 2, decode_tok_s: 70, prefill_tok_s: 150, "
      "ttft_ms: 30, "
      "energy_J_per_token: 0.1, power_scope: wall, source: s, confidence: high, exclude_reason: no}]\n",
      // Named in no rule that this row meets.
      {"chip", "type", "tdp_or_power_mode_W"}, [](const std::string& file) {
        Measurement m = read_measurements(file).rows.at(0);
        static const Mapping mapping = shipped();
        std::string text = text_of(mapping.map(m));
        m.exclude_reason.clear();
        text += text_of(mapping.map(m));
        m.context.reset();
        text += text_of(mapping.map(m));
        return text + fmt::format("{} {} {} {} {} {} {} {} {} {} {}", m.id, m.device, m.runtime,
                                  m.device_class, m.source, m.confidence, m.batch, *m.decode_tok_s,
                                  *m.prefill_tok_s, *m.ttft_ms, *m.energy_J_per_token);
      });
}

std::string mapping_refusal(const std::string& file) {
  try {
    Mapping(file, EDGENPU_SOURCE_DIR);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST_F(Leaves, AreRefusedWithWhatIsAllowed) {
  const auto of = [&](const std::string& section, const std::string& rule) {
    std::string text = "kind: measurement_mapping\n";
    for (const char* s : {"devices", "runtimes", "quants", "models", "contexts", "scopes"})
      text += fmt::format("{}: [{}]\n", s, s == section ? rule : "");
    return mapping_refusal(write("m.yaml", text));
  };
  EXPECT_THAT(of("contexts", "{when: {device: x}, block: 0}"), HasSubstr("m.yaml:6:39: 'block'"));
  EXPECT_THAT(of("contexts", "{when: {device: x}, block: -5}"), HasSubstr("'block'"));
  EXPECT_THAT(of("contexts", "{when: {device: x}, tokens: 99999999999999999999}"), HasSubstr("'tokens'"));
  EXPECT_THAT(of("contexts", "{when: {device: x}, whole_cache: yes}"), HasSubstr("must be true or false"));
  EXPECT_THAT(of("contexts", "{when: {device: x}, prompt: maybe}"), HasSubstr("allowed: false, context"));
  EXPECT_THAT(of("quants", "{when: {quant: x}}"), HasSubstr("one of these is needed: use, cannot"));
  EXPECT_THAT(of("quants", "{when: {quant: x}, use: Q4_0, cannot: no}"),
              HasSubstr("no effect in a rule with 'cannot'"));
  EXPECT_THAT(of("quants", "{when: {quant: [x]}, use: Q4_0}"),
              HasSubstr("a regular expression is text; found a list"));
  EXPECT_THAT(of("quants", "{when: {quant: '('}, use: Q4_0}"),
              HasSubstr("m.yaml:4:25: '(' is no regular expression"));
  EXPECT_THAT(of("scopes", "{when: {scope: x}, use: modul}"), HasSubstr("did you mean 'module'?"));
  EXPECT_THAT(of("devices", "{when: {device: x}, hardware: [1]}"), HasSubstr("must be text"));
  EXPECT_THAT(of("runtimes", "{when: {runtime: x}, set: {runtime.fuse: }}"), HasSubstr("is set to nothing"));
  EXPECT_THAT(of("runtimes", "{when: {runtime: x}}"), HasSubstr("the rule says nothing"));
}

TEST_F(Leaves, AreTextsOfBoundedLength) {
  Measurement m = row("Raspberry Pi 5", "cpu", std::string(200'000, 'a'), "Q8_0", "llama.cpp");
  EXPECT_THAT(shipped().map(m).reason, HasSubstr("more than 4096 characters"));
}

}  // namespace
}  // namespace edgenpu::evidence
