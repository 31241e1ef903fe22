// What the words of a published row are taken for.
#include <algorithm>
#include <gmock/gmock.h>
#include <map>

#include "config/toolkit.h"
#include "evidence/mapping_fixture.h"

namespace edgenpu::evidence {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

TEST_F(MapMeasurement, KnowsAtLeastNineTenthsOfTheShippedRows) {
  const Measurements all = read_measurements(kPublished + "measurements.yaml");
  const Mapping mapping = shipped();
  int mapped = 0;
  for (const Measurement& m : all.rows) {
    const Mapped x = mapping.map(m);
    mapped += x.reason.empty();
    if (x.reason.empty()) {
      EXPECT_NO_THROW(config::HardwareFile(x.request.hardware).resolve(x.overrides, x.request.quant)) << m.id;
    }
  }
  EXPECT_GE(mapped, static_cast<int>(all.rows.size()) * 9 / 10);
}

// What was measured on a chip, its toolkit made.
TEST_F(MapMeasurement, TakesMeasuredFormatsForThoseThatTheToolkitMakes) {
  const Mapping mapping = shipped();
  std::map<std::string, config::HardwareFile> files;
  int checked = 0;
  for (const char* name : {"measurements", "measurements-second", "measurements-third"})
    for (const Measurement& m : read_measurements(kPublished + name + ".yaml").rows) {
      if (m.device_class != "npu") continue;
      const Mapped x = mapping.map(m);
      if (!x.reason.empty()) continue;
      const config::HardwareFile& file =
          files.try_emplace(x.request.hardware, x.request.hardware).first->second;
      Diagnostics out;
      const auto toolkit = config::read_toolkit(file.resolve(x.overrides, x.request.quant), out);
      if (!toolkit) continue;
      ++checked;
      const auto is_it = [&](const config::Value& quant) { return quant.text() == x.request.quant; };
      EXPECT_TRUE(std::any_of(toolkit->quants.begin(), toolkit->quants.end(), is_it))
          << m.id << ": " << x.request.quant << " on " << x.request.hardware;
    }
  EXPECT_GT(checked, 50);
}

TEST_F(MapMeasurement, TakesTheMiddleOfTheGenerationAsContext) {
  Measurement m = row("Raspberry Pi 5", "cpu", "Llama-3.2-1B", "Q4_K_M", "llama.cpp llama-bench");
  m.prompt = 512;
  m.generated = 128;
  EXPECT_EQ(shipped().map(m).request.context, 64);  // llama-bench starts with an empty cache
  m.runtime = "Ollama";
  EXPECT_EQ(shipped().map(m).request.context, 576);
  m.context = 2048;
  EXPECT_EQ(shipped().map(m).request.context, 2048);
}

TEST_F(MapMeasurement, TakesMatrixKernelsFromBuildsThatHadNone) {
  const auto overrides = [](const char* runtime) {
    return shipped().map(row("Core i9-13900K", "cpu", "Llama-2-7B", "Q4_0", runtime)).overrides.size();
  };
  EXPECT_EQ(overrides("llama.cpp 2023-08"), 2u);
  EXPECT_EQ(overrides("llama.cpp"), 0u);
}

TEST_F(MapMeasurement, ReadsTheWholeCacheOfACompiledModel) {
  Measurement m = row("AXera-Pi Pro (AX650N)", "npu", "Qwen2.5-0.5B", "w8a16", "ax-llm, Pulsar2 3.2");
  m.prompt = 128;
  const Mapped mapped = shipped().map(m);
  EXPECT_EQ(mapped.request.context, 1023);
  EXPECT_EQ(mapped.request.quant, "axera-s8");
  EXPECT_EQ(mapped.request.prompt, 128);
}

TEST_F(MapMeasurement, AssumesAContextAndSaysSo) {
  const Mapped m = shipped().map(row("Raspberry Pi 5", "cpu", "Llama-3.2-1B", "Q4_K_M", "Ollama"));
  EXPECT_EQ(m.request.context, 256);
  EXPECT_THAT(m.notes, ::testing::Contains(HasSubstr("256 tokens assumed")));
}

TEST_F(MapMeasurement, PadsPromptsToTheGraphsOfCompiledModels) {
  Measurement m = row("Snapdragon 8 Elite QRD", "npu", "Llama-3.2-3B", "w4a16", "Qualcomm Genie / QNN");
  m.prompt = 130;
  m.context = 4096;
  const Mapped genie = shipped().map(m);
  EXPECT_EQ(genie.request.prompt, 130);
  EXPECT_EQ(genie.prompt_step, 256);
  EXPECT_EQ(genie.prompt_cached, 4096 - 256);  // the graph attends to the whole cache
  Measurement phone = row("OnePlus 12", "cpu", "Llama-3.2-1B", "SpinQuant", "ExecuTorch XNNPACK");
  phone.prompt = 130;
  EXPECT_EQ(shipped().map(phone).prompt_step, 130);
  EXPECT_EQ(shipped().map(phone).prompt_cached, 0);
}

TEST_F(MapMeasurement, TakesTheContextForThePromptWhereOnlyThatIsGiven) {
  Measurement m = row("AMD Ryzen AI 7 350 NPU", "npu", "Llama-3.2-1B", "4-bit", "FastFlowLM");
  m.context = 4096;
  EXPECT_EQ(shipped().map(m).request.prompt, 4096);
  m.prompt = 100;
  EXPECT_EQ(shipped().map(m).request.prompt, 100);
  EXPECT_EQ(shipped().map(m).request.context, 4096);
}

TEST_F(MapMeasurement, TakesLlamaCppForGgufFormatsWhoseRuntimeIsNotStated) {
  const auto part = [](const std::string& quant) {
    const Mapped m = shipped().map(row("DGX Spark GB10", "gpu", "Llama-3.1-8B", quant, "not stated"));
    for (const config::Override& o : m.overrides)
      if (o.path == "runtime.part") return o.value.text();
    return std::string("its own");
  };
  EXPECT_EQ(part("Q4_K_M"), "its own");
  EXPECT_EQ(part("W4A16"), "tensorrt");
}

TEST_F(MapMeasurement, TakesSinglePrecisionForUnquantisedExportsOtherThanLlama) {
  const auto quant = [](const std::string& model) {
    return shipped()
        .map(row("OnePlus 12", "cpu", model, "unquantised", "react-native-executorch"))
        .request.quant;
  };
  EXPECT_EQ(quant("Qwen3-0.6B"), "F32");
  EXPECT_EQ(quant("Llama-3.2-1B"), "BF16");
}

TEST_F(MapMeasurement, TakesOllamasDefaultFormatOfTheModelsTime) {
  const auto quant = [](const std::string& model) {
    return shipped().map(row("Apple M4", "gpu", model, "4-bit", "Ollama")).request.quant;
  };
  EXPECT_EQ(quant("Llama-2-7B"), "Q4_0");
  EXPECT_EQ(quant("Qwen3-8B"), "Q4_K_M");
}

TEST_F(MapMeasurement, TakesVllmForModelsThatItsPublisherRunsInIt) {
  Measurement m = row("Jetson AGX Thor", "gpu", "Llama-3.2-1B", "W4A16", "not stated in the CSV row");
  const auto runtime = [&] {
    const Mapped mapped = shipped().map(m);
    return config::find_path(config::HardwareFile(mapped.request.hardware).resolve(mapped.overrides),
                             "runtime.name")
        ->text();
  };
  EXPECT_EQ(runtime(), "tensorrt");
  m.source = "https://huggingface.co/spaces/embedl/Edge-Inference-Benchmarks";
  EXPECT_EQ(runtime(), "vllm");
}

TEST_F(MapMeasurement, ReadsWhatThePowerCovers) {
  Measurement m = row("Raspberry Pi 5", "cpu", "Llama-3.2-1B", "Q4_K_M", "Ollama");
  const auto scope_of = [&](const std::string& words) {
    m.power_scope = words;
    const Mapped mapped = shipped().map(m);
    return mapped.scope_reason.empty() ? mapped.energy_scope : "cannot";
  };
  EXPECT_EQ(scope_of("whole system at wall, peak during run"), "wall");
  EXPECT_EQ(scope_of("VDD_CPU_GPU_CV rail only (excludes DRAM/SoC/carrier)"), "rail VDD_CPU_GPU_CV");
  EXPECT_EQ(scope_of("package CPU+GPU+ANE (powermetrics), no DRAM"), "die");
  EXPECT_EQ(scope_of("average, scope not stated"), "cannot");
  EXPECT_EQ(scope_of(""), "cannot");
}

TEST_F(MapMeasurement, SaysWhyItCannot) {
  const Mapping mapping = shipped();
  Measurement toaster = row("Toaster", "npu", "Llama-3.2-1B", "Q4_K_M", "its maker's");
  const std::string unknown = "no hardware description for this device";
  EXPECT_THAT(mapping.map(toaster).reason, HasSubstr(unknown));
  toaster.peak_GBps = 50;
  EXPECT_THAT(mapping.map(toaster).request.hardware, EndsWith("generic-npu.yaml"));
  toaster.runtime = "llama.cpp";
  EXPECT_THAT(mapping.map(toaster).reason, HasSubstr("backends for NPUs"));
  EXPECT_EQ(mapping.map(row("Raspberry Pi 5", "cpu", "Zebra-3B", "Q4_K_M", "llama.cpp")).reason,
            "no shape for the model Zebra-3B");
  EXPECT_THAT(mapping.map(row("Raspberry Pi 5", "cpu", "DeepSeek-V2-Lite", "Q4_0", "llama.cpp")).reason,
              HasSubstr("latent attention"));
  Measurement m = row("Raspberry Pi 5", "cpu", "Llama-3.2-1B", "Q4_K_M", "llama.cpp");
  m.exclude_reason = "batch unknown";
  EXPECT_THAT(mapping.map(m).reason, HasSubstr("batch unknown"));
}

TEST_F(MapMeasurement, RefusesRuntimesWhoseKernelsAreNotModelled) {
  const auto reason = [](const std::string& device, const std::string& device_class,
                         const std::string& runtime, const std::string& quant) {
    return shipped().map(row(device, device_class, "Llama-3.2-1B", quant, runtime)).reason;
  };
  EXPECT_THAT(reason("Core Ultra 7 258V", "gpu", "OpenVINO GenAI", "INT4"), HasSubstr("OpenVINO's kernels"));
  EXPECT_THAT(reason("Apple M4", "gpu", "WebLLM (WebGPU)", "q4f16_1"), HasSubstr("not modelled"));
  EXPECT_THAT(reason("ZimaBlade (Celeron J3455)", "cpu", "Ollama", "Q4_0"), HasSubstr("without AVX2"));
  EXPECT_THAT(reason("AtomMan X7, 8-core 2.4 GHz", "cpu", "Ollama", "Q4_0"), HasSubstr("no bandwidth"))
      << "words of other processors in a name";
  EXPECT_THAT(reason("Snapdragon 8 Elite", "npu", "llama.cpp Hexagon", "Q4_0"), HasSubstr("Hexagon"));
  EXPECT_THAT(reason("OnePlus 15", "gpu", "llama.rn OpenCL", "Q2_K"),
              HasSubstr("no kernels for this format"));
}

TEST_F(MapMeasurement, ReportsFaultsOfTheTableWithTheirPositions) {
  const std::string file = write("map.yaml",
                                 "kind: measurement_mapping\n"
                                 "devices: [{when: {devise: x}, hardware: a.yaml}]\n"
                                 "runtimes: []\nmodels: []\ncontexts: []\nscopes: []\n"
                                 "quants: [{when: {quant: \"(\"}, use: Q4_0}]\n");
  try {
    const Mapping mapping(file, EDGENPU_SOURCE_DIR);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr("map.yaml:2:19: 'devise' is no field of a measurement"));
    EXPECT_THAT(e.what(), HasSubstr("map.yaml:7:25: '(' is no regular expression"));
  }
}

TEST_F(MapMeasurement, NamesQuantisationsModelsAndFilesThatAreNone) {
  const std::string path = write("map.yaml",
                                 "kind: measurement_mapping\n"
                                 "devices: [{when: {class: gpu}, hardware: gpu-nothing.yaml}]\n"
                                 "runtimes: []\n"
                                 "quants: [{when: {quant: int4}, use: q4f61}]\n"
                                 "models: [{when: {model: 8b}, use: llama-3.1-88b}]\n"
                                 "contexts: []\n"
                                 "scopes: []\n");
  try {
    const Mapping mapping(path, EDGENPU_SOURCE_DIR);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr("map.yaml:2:42: there is no file 'gpu-nothing.yaml' beside the mapping"));
    EXPECT_THAT(e.what(), HasSubstr("map.yaml:4:37: 'q4f61' is no quantisation; there are: "));
    EXPECT_THAT(e.what(), HasSubstr("did you mean 'q4f16'?"));
    EXPECT_THAT(e.what(), HasSubstr("map.yaml:5:35: 'llama-3.1-88b' is no model; there are: "));
    EXPECT_THAT(e.what(), HasSubstr("did you mean 'llama-3.1-8b'?"));
  }
}

TEST_F(MapMeasurement, AppliesTheRuntimeThatAQuantisationNeedsInAStudyToo) {
  sweep::Study study =
      sweep::read_study(write("s.yaml", std::string("study: s\nhardware: ") + EDGENPU_SOURCE_DIR +
                                            "/hw_configs/gpu/gpu-orin-nano.yaml\nmodel: smollm2-135m\n"
                                            "axes: {grid: {quant: [Q4_K_M, q4f16]}}\n"));
  const sweep::Expansion e(study, EDGENPU_SOURCE_DIR, "test");
  EXPECT_EQ(config::find_path(e.resolve(e.points()[0]).tree, "runtime.name")->text(), "llama.cpp-cuda");
  EXPECT_EQ(config::find_path(e.resolve(e.points()[1]).tree, "runtime.name")->text(), "mlc");
}

}  // namespace
}  // namespace edgenpu::evidence
