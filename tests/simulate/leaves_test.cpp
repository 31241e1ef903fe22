// Every leaf of every kind of hardware file, changed: something must answer. What is exempt is listed here with the
// reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iostream>

#include "config/resolve.h"
#include "simulate/device_probes.h"
#include "simulate/leaf_probes.h"
#include "simulate/memory_probes.h"
#include "simulate/npu_probes.h"
#include "support/shipped.h"

namespace edgenpu {
namespace {

using test::Probe;
using ::testing::IsEmpty;
using Takes = std::function<bool(const std::string& path)>;

bool starts_with(const std::string& text, const std::string& start) {
  return text.rfind(start, 0) == 0;
}

std::string last_key(const std::string& path) {
  return path.substr(path.rfind('.') + 1);
}

bool is_bound(const std::string& path) {
  return last_key(path) == "low" || last_key(path) == "high";
}

// Names: of a part, which has been merged by then; of the description; of the node, which is a note where the prices
// are of another (DescriptionNotes).
bool is_name(const std::string& path) {
  const std::string key = last_key(path);
  return key == "part" || key == "name" || path == "process" || path == "energy.technology" ||
         starts_with(path, "energy.left_out.");
}

config::Value shipped(const std::string& name) {
  const std::string folder = EDGENPU_SOURCE_DIR + std::string("/hw_configs");
  return config::load_hardware_tree(test::hardware_file(name), {}, "", folder);
}

// Kernels for other instruction sets than this device's, and the runtimes of other quantisations.
bool is_of_another(const config::Value& tree, const std::string& path) {
  const std::string kernels = "runtime.kernels.";
  const config::Value* isa = tree.find("isa");
  return starts_with(path, "runtime_for.") ||
         (isa && starts_with(path, kernels) && !starts_with(path, kernels + isa->text() + "."));
}

void expect_answers(const config::Value& tree, const std::string& what, std::vector<Probe> probes,
                    const Takes& takes, const test::Asked& asked = {}) {
  const auto exempt = [&](const std::string& path) {
    return test::is_documentation(path) || is_name(path) || is_of_another(tree, path) || !takes(path);
  };
  const test::Tally tally = test::change_leaves(tree, std::move(probes), exempt, asked);
  std::cout << tally.text(what) << std::endl;
  EXPECT_GT(tally.leaves, 0);
  EXPECT_THAT(tally.dead, IsEmpty());
}

void expect_answers_of_energy(const std::string& name) {
  const config::Value tree = shipped(name);
  const test::ToySteps steps(tree);
  const Probe priced = steps.priced(tree);
  expect_answers(tree, name + ", ranges", {test::ranges_of, priced}, is_bound);
  expect_answers(tree, name + ", energy", {priced},
                 [](const std::string& path) { return starts_with(path, "energy.") && !is_bound(path); });
}

// Of memory only what masters meet at a channel: the rest is of MemoryParts.
bool is_of_device(const std::string& path) {
  return !is_bound(path) && !starts_with(path, "energy.") &&
         (!starts_with(path, "memory.") || path == "memory.controller.port_queue");
}

// CPUs, GPUs and accelerators.
void expect_answers_of_kernels(const std::string& name, const config::Value& tree, const Takes& takes) {
  const test::ToySteps steps(tree);
  const std::vector<test::DeviceProbe> all = test::device_probes(steps, tree);
  std::vector<Probe> probes;
  for (const test::DeviceProbe& p : all) probes.push_back(p.ask);
  expect_answers(tree, name, probes, takes,
                 [&](std::size_t i, const std::string& path) { return all[i].about(path); });
}

void expect_answers_of_optional_keys(const std::string& name, const char* keys) {
  const config::Value laid = config::parse_text(keys, "keys");
  expect_answers_of_kernels(
      name + ", optional keys", config::merge(shipped(name), laid),
      [&](const std::string& path) { return config::find_path(laid, path) != nullptr; });
}

TEST(Leaves, OfTheEnergyOfAnNpu) {
  expect_answers_of_energy("npu-raiderchip-asic-cpu");
}
TEST(Leaves, OfTheEnergyOfACpu) {
  expect_answers_of_energy("cpu-rk3588");
}
TEST(Leaves, OfTheEnergyOfAGpu) {
  expect_answers_of_energy("gpu-orin-nano");
}
TEST(Leaves, OfTheEnergyOfAnAccelerator) {
  expect_answers_of_energy("npu-rk3588");
}
bool is_of_format(const std::string& path) {
  return starts_with(path, "matrix.decode.") || starts_with(path, "matrix.rate.");
}

TEST(Leaves, OfTheFormatsOfAnNpu) {
  const config::Value tree = shipped("npu-raiderchip-asic-cpu");
  const test::ToySteps steps(tree);
  expect_answers(tree, "npu-raiderchip-asic-cpu, formats", {steps.decode()}, is_of_format);
}
TEST(Leaves, OfAnNpu) {
  const config::Value tree = shipped("npu-raiderchip-asic-cpu");
  const test::ToySteps steps(tree);
  expect_answers(tree, "npu-raiderchip-asic-cpu", test::npu_probes(steps, tree),
                 [](const std::string& path) { return is_of_device(path) && !is_of_format(path); });
}
TEST(Leaves, OfAnNpuThatAreRefusedAloneAnswerTogetherWithWhatTheyNeed) {
  const config::Value tree = shipped("npu-raiderchip-asic-cpu");
  const test::ToySteps steps(tree);
  for (const char* over :
       {"{matrix: {dataflow: weight_stationary, weight_load: serial}}",
        "{matrix: {dataflow: output_stationary, drain: serial}}",
        "{lowering: {tile: 1 KiB, source: {tile: 'assumed: a test'}}}",
        "{lowering: {load: 1 KiB, source: {load: 'assumed: a test'}}}", "{placement: {cpu: [attn_norm]}}"})
    EXPECT_NE(test::with(steps.decode(), over)(tree), steps.decode()(tree)) << over;
}
TEST(Leaves, OfACpuAndItsRuntime) {
  expect_answers_of_kernels("cpu-rk3588", shipped("cpu-rk3588"), is_of_device);
}
TEST(Leaves, OfAGpuAndItsRuntime) {
  expect_answers_of_kernels("gpu-orin-nano", shipped("gpu-orin-nano"), is_of_device);
}
TEST(Leaves, ThatOnlySomeCpusAndGpusHave) {
  expect_answers_of_optional_keys("cpu-rk3588", test::kOptionalOfCpu);
  expect_answers_of_optional_keys("gpu-orin-nano", test::kOptionalOfGpu);
  expect_answers_of_optional_keys("gpu-orin-nano", test::kBatchOfGpu);
}
TEST(Leaves, OfAnAcceleratorAndItsRuntime) {
  expect_answers_of_kernels("npu-rk3588", shipped("npu-rk3588"), is_of_device);
}

class MemoryParts : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(All, MemoryParts,
                         ::testing::Values("lpddr5-6400", "lpddr5x-8533", "lpddr4x-4266", "ddr4-3200",
                                           "ddr5-4800"));

TEST_P(MemoryParts, HaveNoLeafThatChangesNothing) {
  const config::Value part =
      config::parse_file(std::string(EDGENPU_SOURCE_DIR) + "/hw_configs/memory/" + GetParam() + ".yaml");
  expect_answers(part, GetParam(), test::memory_probes(part),
                 [](const std::string& path) {  // Of the port to masters, which only steps have.
                   return path != "controller.port_queue" && !starts_with(path, "energy.");
                 });
}

TEST_P(MemoryParts, HaveNoPriceThatChangesNothing) {
  const config::Value part =
      config::parse_file(std::string(EDGENPU_SOURCE_DIR) + "/hw_configs/memory/" + GetParam() + ".yaml");
  const Probe prices = [](const config::Value& changed) {
    config::Value tree = config::Value::empty_map({});
    tree.set("memory", changed);
    return test::memory_prices_of(tree);
  };
  expect_answers(part, GetParam() + std::string(", prices"), {prices},
                 [](const std::string& path) { return starts_with(path, "energy."); });
}

// Of all sections, whoever reads them.
class Descriptions : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(All, Descriptions,
                         ::testing::Values("npu-raiderchip-asic-cpu", "npu-raiderchip-fpga", "cpu-rk3588",
                                           "cpu-i5-12400", "gpu-orin-nano", "npu-rk3588"));

std::string checked(const config::Value& tree) {
  check_hardware(tree);
  return "";
}

// Keys that are names of the file's own choice.
bool is_free_name(const std::string& path) {
  const std::string parent = path.substr(0, path.size() - std::min(path.size(), last_key(path).size() + 1));
  return path == "kind" || parent == "energy.components" || parent == "energy.operating_points" ||
         parent == "runtime.kernels";
}

TEST_P(Descriptions, HaveNoKeyThatMayBeMisspelt) {
  const config::Value tree =
      config::merge(shipped(GetParam()),
                    config::parse_text(std::string(GetParam()).rfind("npu-raider", 0) == 0
                                           ? "arithmetic: {accumulator_bits: 32, tile_k: 256, cut: nearest}"
                                           : "{}",
                                       "more"));
  EXPECT_THAT(test::misspell_keys(
                  tree, checked,
                  [](const std::string& path) { return test::is_documentation(path) || is_free_name(path); }),
              IsEmpty());
}

TEST_P(Descriptions, HaveNoNumberThatMayBeASection) {
  EXPECT_THAT(test::misplace_values(shipped(GetParam()), checked,
                                    [](const std::string& path) {
                                      // A runtime is read where a quantisation asks for it.
                                      return test::is_documentation(path) || last_key(path) == "part" ||
                                             starts_with(path, "runtime_for.");
                                    }),
              IsEmpty());
}

}  // namespace
}  // namespace edgenpu
