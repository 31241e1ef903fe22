// What the words of a published row are taken for.
#include "study/mapping.h"

#include <gmock/gmock.h>

#include "study/study_fixture.h"

namespace edgenpu::study {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using MapMeasurement = test::StudyFolder;

const std::string kPublished = std::string(EDGENPU_SOURCE_DIR) + "/hw_configs/published/";

Mapping shipped() {
  return Mapping(kPublished + "mapping.yaml", EDGENPU_SOURCE_DIR);
}

Measurement row(const std::string& device, const std::string& device_class, const std::string& model,
                const std::string& quant, const std::string& runtime) {
  Measurement m;
  m.id = "x";
  m.device = device;
  m.device_class = device_class;
  m.model = model;
  m.quant = quant;
  m.runtime = runtime;
  m.decode_tok_s = 1;
  return m;
}

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

TEST_F(MapMeasurement, ReadsDevicesItHasNotSeen) {
  const Mapping mapping = shipped();
  const auto hardware = [&](const Measurement& m) { return mapping.map(m).request.hardware; };
  EXPECT_THAT(hardware(row("Orange Pi 5 Plus 16GB", "cpu", "Qwen2.5-7B-Instruct", "Q4_K_M", "llama.cpp")),
              EndsWith("cpu-rk3588.yaml"));
  EXPECT_THAT(hardware(row("MacBook Pro M2 Max", "gpu", "Llama 2 7B", "Q4_0", "llama.cpp Metal")),
              EndsWith("gpu-apple-m2-max.yaml"));
  EXPECT_THAT(hardware(row("Jetson Orin NX 16GB", "gpu", "Llama-3-8B", "INT4 (MLC)", "MLC")),
              EndsWith("gpu-orin-nx.yaml"));
  EXPECT_THAT(hardware(row("Core i7-12700K", "cpu", "Mistral-7B", "Q4_K_M", "llama.cpp")),
              EndsWith("cpu-i7-12700k.yaml"));
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

TEST_F(MapMeasurement, DoesNotTakeARowForADeviceOfAnotherBandwidth) {
  Measurement m = row("Mac with M4", "gpu", "Llama-3.2-1B", "Q4_0", "llama.cpp");
  m.peak_GBps = 120;
  EXPECT_THAT(shipped().map(m).request.hardware, EndsWith("gpu-apple-m4.yaml"));
  m.peak_GBps = 900;  // a chip that is not known, whatever its name
  const Mapped other = shipped().map(m);
  EXPECT_THAT(other.request.hardware, EndsWith("generic-gpu-metal.yaml"));
  EXPECT_THAT(other.notes, ::testing::Contains(HasSubstr("generic Apple GPU")));
}

TEST_F(MapMeasurement, BringsAGenericDescriptionToTheStatedBandwidth) {
  Measurement m = row("Unheard-of board", "cpu", "SmolLM2-135M", "Q4_0", "llama.cpp");
  EXPECT_THAT(shipped().map(m).reason, HasSubstr("states no bandwidth"));
  for (const double peak : {12.8, 51.2, 100.0, 409.6}) {
    m.peak_GBps = peak;
    const Mapped mapped = shipped().map(m);
    ASSERT_EQ(mapped.reason, "");
    DescribedMemories memories;
    EXPECT_NEAR(memories.of(mapped.request.hardware, mapped.overrides).peak().count(), peak * 1e9,
                peak * 1e4);
  }
}

TEST_F(MapMeasurement, RefusesToScaleWhatTheDescriptionDoesNotHave) {
  const std::string hardware =
      std::filesystem::relative(kPublished + "../generic-cpu-arm.yaml", folder).string();
  const std::string file =
      write("map.yaml", "kind: measurement_mapping\ndevices: [{when: {class: cpu}, hardware: " + hardware +
                            ", scale: corez}]\n" +
                            "runtimes: []\nquants: []\nmodels: []\ncontexts: []\nscopes: []\n");
  Measurement m = row("Unheard-of board", "cpu", "SmolLM2-135M", "Q4_0", "llama.cpp");
  m.peak_GBps = 50;
  const Mapping mapping(file, EDGENPU_SOURCE_DIR);
  try {
    mapping.map(m);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr("corez"));
  }
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

TEST_F(MapMeasurement, RunsOnAsManyCoresAsTheRowHasThreads) {
  const auto cores = [](std::int64_t threads) {
    Measurement m = row("Ryzen 9 7950X", "cpu", "Llama-3.2-1B", "Q4_K_M", "llama.cpp");
    m.threads = threads;
    const Mapped mapped = shipped().map(m);
    const config::HardwareFile file(mapped.request.hardware);
    return file.resolve(mapped.overrides).find("cores")->text();
  };
  EXPECT_EQ(cores(4), "4");
  EXPECT_EQ(cores(16), "16");
  EXPECT_EQ(cores(32), "16");  // no second thread of a core adds to its bandwidth
}

// Each was found on rows that nobody had seen.
TEST_F(MapMeasurement, DoesNotTakeWordsOfAnotherMakersDeviceForThisOne) {
  const auto hardware = [](const std::string& device) {
    Measurement m = row(device, "cpu", "Llama-2-7B", "Q4_0", "llama.cpp");
    m.peak_GBps = 100;
    return shipped().map(m).request.hardware;
  };
  EXPECT_THAT(hardware("Framework 13 mainboard, CIX CP8180"), EndsWith("cpu-cix-p1.yaml"));
  EXPECT_THAT(hardware("Framework 13, Ryzen AI 5 340"), EndsWith("cpu-ryzen-ai-340.yaml"));
  EXPECT_THAT(hardware("MacBook Pro M1 Max 24-core"), EndsWith("cpu-apple-m1.yaml"));
  EXPECT_THAT(hardware("Laptop, Core i3-1315U"), EndsWith("generic-cpu-x86.yaml"));
}

TEST_F(MapMeasurement, TakesAppleChipsWithFewerCoresAndChannelsForWhatTheyAre) {
  const auto overrides = [](const std::string& device) {
    std::string all;
    for (const config::Override& o :
         shipped().map(row(device, "gpu", "Llama-2-7B", "Q4_0", "llama.cpp")).overrides)
      all += o.path + "=" + o.value.text() + " ";
    return all;
  };
  EXPECT_THAT(overrides("Apple M3 Max (30-core GPU)"),
              AllOf(HasSubstr("multiprocessors=30"), HasSubstr("memory.channels=24")));
  EXPECT_THAT(overrides("Apple M3 Max (40-core GPU)"), Not(HasSubstr("channels")));
}

TEST_F(MapMeasurement, TakesThePublishedBandwidthAndCoresOfAChipWhereTheRowStatesNone) {
  Measurement m = row("Mac mini, Apple M4 Pro", "cpu", "Llama-2-7B", "Q4_0", "llama.cpp");
  const auto cores_and_peak = [](const Mapped& mapped) {
    DescribedMemories memories;
    const config::Value tree = config::HardwareFile(mapped.request.hardware).resolve(mapped.overrides);
    return std::pair(tree.find("cores")->text(),
                     memories.of(mapped.request.hardware, mapped.overrides).peak().count() * 1e-9);
  };
  const auto [cores, peak] = cores_and_peak(shipped().map(m));
  EXPECT_EQ(cores, "10");
  EXPECT_NEAR(peak, 273, 0.1);
  m.peak_GBps = 250;
  EXPECT_NEAR(cores_and_peak(shipped().map(m)).second, 250, 0.1);
}

TEST_F(MapMeasurement, ReportsAPeakThatIsNoBandwidthWithItsPosition) {
  const std::string hardware =
      std::filesystem::relative(kPublished + "../generic-cpu-arm.yaml", folder).string();
  const std::string file =
      write("map.yaml", "kind: measurement_mapping\ndevices: [{when: {class: cpu}, hardware: " + hardware +
                            ", scale: cores, peak: 50 W}]\n" +
                            "runtimes: []\nquants: []\nmodels: []\ncontexts: []\nscopes: []\n");
  try {
    Mapping(file, EDGENPU_SOURCE_DIR);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr("map.yaml:2:"), HasSubstr("'peak'"), HasSubstr("50 W")));
  }
}

TEST_F(MapMeasurement, RefusesAPeakToWhichNothingIsScaled) {
  const std::string hardware =
      std::filesystem::relative(kPublished + "../generic-cpu-arm.yaml", folder).string();
  const std::string file =
      write("map.yaml", "kind: measurement_mapping\ndevices: [{when: {class: cpu}, hardware: " + hardware +
                            ", peak: 50 GB/s}]\n" +
                            "runtimes: []\nquants: []\nmodels: []\ncontexts: []\nscopes: []\n");
  try {
    Mapping(file, EDGENPU_SOURCE_DIR);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr("map.yaml:2:"), HasSubstr("'scale' is missing")));
  }
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

TEST_F(MapMeasurement, DoesNotTakeACardForTheProcessorOfItsHost) {
  Measurement m =
      row("Raspberry Pi 5 with a Radeon RX 6700 XT", "gpu", "Llama-3.2-3B", "Q4_K_M", "llama.cpp Vulkan");
  EXPECT_THAT(shipped().map(m).reason, HasSubstr("states no bandwidth"));
  m.peak_GBps = 384;
  EXPECT_THAT(shipped().map(m).request.hardware, EndsWith("generic-gpu-vulkan.yaml"));
  m.device_class = "cpu";
  m.peak_GBps.reset();
  EXPECT_THAT(shipped().map(m).request.hardware, EndsWith("cpu-raspberry-pi-5.yaml"));
}

TEST_F(MapMeasurement, LetsTheSlowCoresOfAChipDecideWhereTheyTakePart) {
  const auto clock_of = [](const Measurement& m) {
    const Mapped mapped = shipped().map(m);
    return config::HardwareFile(mapped.request.hardware).resolve(mapped.overrides).find("clock")->text();
  };
  Measurement m = row("Orange Pi 5", "cpu", "Phi-3-mini-4k", "Q4_K_M", "llama.cpp");
  m.threads = 4;
  EXPECT_EQ(clock_of(m), "2.31 GHz");
  m.threads = 8;
  EXPECT_EQ(clock_of(m), "1.8 GHz");
  m.threads.reset();
  EXPECT_EQ(clock_of(m), "2.31 GHz");
  m.runtime = "Ollama";
  EXPECT_EQ(clock_of(m), "1.8 GHz");
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

TEST_F(MapMeasurement, DoesNotGuessTheDeviceOfARowThatNamesNone) {
  const std::string laptop = "AMD Ryzen AI laptop (not named)";
  EXPECT_THAT(shipped().map(row(laptop, "gpu", "Llama-3.1-8B", "Q4_K_M", "llama.cpp")).reason,
              HasSubstr("does not name the device"));
  EXPECT_EQ(shipped().map(row("AMD Ryzen AI 7 350", "gpu", "Llama-3.1-8B", "Q4_K_M", "llama.cpp")).reason,
            "");
  // All NPUs that FastFlowLM runs on are of one kind.
  EXPECT_EQ(shipped().map(row(laptop, "npu", "Llama-3.1-8B", "4-bit", "FastFlowLM")).reason, "");
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

TEST_F(MapMeasurement, LetsAGenericNpuReadAPartOfALargeMemory) {
  Measurement m = row("Toaster", "npu", "Llama-3.2-1B", "w4a16", "its maker's");
  const auto port = [&](double peak) {
    m.peak_GBps = peak;
    const Mapped mapped = shipped().map(m);
    const config::Value tree = config::HardwareFile(mapped.request.hardware).resolve(mapped.overrides);
    const config::Value* limit = tree.find("cache")->find("port");
    return limit ? limit->text() : "none";
  };
  EXPECT_EQ(port(50), "none");
  EXPECT_EQ(port(200), "60 GB/s");
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
  Study study = read_study(write("s.yaml", std::string("study: s\nhardware: ") + EDGENPU_SOURCE_DIR +
                                               "/hw_configs/gpu-orin-nano.yaml\nmodel: smollm2-135m\n"
                                               "axes: {grid: {quant: [Q4_K_M, q4f16]}}\n"));
  const Expansion e(study, EDGENPU_SOURCE_DIR, "test");
  EXPECT_EQ(config::find_path(e.resolve(e.points()[0]).tree, "runtime.name")->text(), "llama.cpp-cuda");
  EXPECT_EQ(config::find_path(e.resolve(e.points()[1]).tree, "runtime.name")->text(), "mlc");
}

}  // namespace
}  // namespace edgenpu::study
