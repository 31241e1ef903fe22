// Which hardware a published row runs on.
#include <gmock/gmock.h>

#include "evidence/mapping_fixture.h"

namespace edgenpu::evidence {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

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
      std::filesystem::relative(kPublished + "../cpu/generic-cpu-arm.yaml", folder).string();
  const std::string file =
      write("map.yaml", "kind: measurement_mapping\ndevices: [{when: {class: cpu}, hardware: " + hardware +
                            ", scale: corez}]\n" +
                            "runtimes: []\nquants: []\nmodels: []\ncontexts: []\nscopes: []\n");
  try {
    Mapping(file, EDGENPU_SOURCE_DIR);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr("found 'corez'; allowed: cores, multiprocessors"));
  }
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
  const auto units = [](const std::string& device) {
    const Mapped mapped = shipped().map(row(device, "gpu", "Llama-2-7B", "Q4_0", "llama.cpp"));
    const config::Value tree = config::HardwareFile(mapped.request.hardware).resolve(mapped.overrides);
    return tree.find("multiprocessors")->text() + " " + config::find_path(tree, "memory.channels")->text();
  };
  EXPECT_EQ(units("Apple M3 Max (30-core GPU)"), "30 24");
  EXPECT_EQ(units("Apple M3 Max (40-core GPU)"), "40 32");
}

TEST_F(MapMeasurement, OnADescriptionOfItsOwnRunsItAsItStands) {
  const config::Value mapping = config::parse_file(kPublished + "mapping.yaml");
  for (const config::Value& rule : mapping.find("devices")->items())
    if (!rule.find("scale")) {
      EXPECT_EQ(rule.find("set"), nullptr) << rule.position().line;
    }
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

TEST_F(MapMeasurement, DoesNotGuessTheDeviceOfARowThatNamesNone) {
  const std::string laptop = "AMD Ryzen AI laptop (not named)";
  EXPECT_THAT(shipped().map(row(laptop, "gpu", "Llama-3.1-8B", "Q4_K_M", "llama.cpp")).reason,
              HasSubstr("does not name the device"));
  EXPECT_EQ(shipped().map(row("AMD Ryzen AI 7 350", "gpu", "Llama-3.1-8B", "Q4_K_M", "llama.cpp")).reason,
            "");
  // All NPUs that FastFlowLM runs on are of one kind.
  EXPECT_EQ(shipped().map(row(laptop, "npu", "Llama-3.1-8B", "4-bit", "FastFlowLM")).reason, "");
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

// A table with one rule for all CPUs: what reading it says against it.
class MapPeak : public test::StudyFolder {
 protected:
  std::string fault_of(const std::string& rule) {
    const std::string hardware =
        std::filesystem::relative(kPublished + "../cpu/generic-cpu-arm.yaml", folder).string();
    const std::string file = write(
        "map.yaml", "kind: measurement_mapping\ndevices: [{when: {class: cpu}, hardware: " + hardware + ", " +
                        rule + "}]\n" + "runtimes: []\nquants: []\nmodels: []\ncontexts: []\nscopes: []\n");
    try {
      Mapping(file, EDGENPU_SOURCE_DIR);
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  }
};

TEST_F(MapPeak, IsABandwidthAndNeedsAScale) {
  EXPECT_EQ(fault_of("scale: cores, peak: 50 GB/s"), "");
  EXPECT_THAT(fault_of("scale: cores, peak: 50 W"),
              AllOf(HasSubstr("map.yaml:2:"), HasSubstr("'peak'"), HasSubstr("50 W")));
  EXPECT_THAT(fault_of("peak: 50 GB/s"), AllOf(HasSubstr("map.yaml:2:"), HasSubstr("'scale' is missing")));
}

}  // namespace
}  // namespace edgenpu::evidence
