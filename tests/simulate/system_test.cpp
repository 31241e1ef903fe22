// Systems: several units and programs on one memory (simulate/system.h).
#include "simulate/system.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>

#include "base/error.h"
#include "simulate/system_programs.h"
#include "support/shipped.h"
#include "workload/trace_file.h"

namespace edgenpu {
namespace {

using testing::HasSubstr;

StepRequest request_of(const std::string& hardware, const std::string& model = "smollm2-135m") {
  StepRequest r;
  r.data_dir = EDGENPU_SOURCE_DIR;
  r.hardware = hardware;
  r.model = model;
  r.quant = "Q4_K_M";
  r.context = 64;
  r.memo = false;
  return r;
}

std::string shipped(const std::string& name) {
  return test::hardware_file(name);
}

// "a" of "units: {a: {...".
std::string first_unit(const std::string& text) {
  const std::size_t begin = text.find('{') + 1;
  return text.substr(begin, text.find(':', begin) - begin);
}

// A description of `units` (YAML) on the shipped NPU's memory, in a file.
std::string system_file(const std::string& name, const std::string& rest, int channels = 8) {
  const std::string path = testing::TempDir() + name + ".yaml";
  std::ofstream file(path);
  file << "kind: system\nname: " << name << "\nmemory: {part: lpddr5-6400, channels: " << channels
       << ", capacity: " << 2 * channels
       << " GiB, interleave: 8 KiB, refresh: pb, reserve: 512 MiB, source: assumed}\n"
       << "energy: {shared: " << first_unit(rest) << "}\n"
       << rest;
  return path;
}

const std::string kNpu = "{extends: npu-raiderchip-asic}", kCpu = "{extends: cpu-rk3588}";

result::SystemResult run(const StepRequest& r) {
  return simulate_system(r, hardware_of(r));
}

std::string error_of(const std::string& file) {
  try {
    run(request_of(file));
  } catch (const InputError& e) {
    return e.what();
  } catch (const InfeasibleError& e) {
    return e.what();
  }
  return "";
}

std::string failed(const result::SystemResult& r) {
  std::string text;
  for (const result::Check& c : r.checks)
    if (!c.ok) text += c.name + ": " + c.detail + "\n";
  for (const result::ProgramResult& p : r.programs)
    for (const result::Check& c : p.step.checks)
      if (!c.ok) text += p.name + ": " + c.name + ": " + c.detail + "\n";
  return text;
}

double sum_of(const result::Losses& losses) {
  return std::accumulate(losses.begin(), losses.end(), 0.0);
}

TEST(System, OfOneUnitIsTheUnitAlone) {
  for (const char* device : {"npu-raiderchip-asic", "cpu-rk3588"}) {
    const result::StepResult alone = simulate(request_of(shipped(device)));
    StepRequest r =
        request_of(system_file("single", std::string("units: {it: {extends: ") + device + "}}\n"));
    // The memory of the device itself.
    const config::Value own = hardware_of(request_of(shipped(device)));
    config::Value tree = hardware_of(r);
    tree.set("memory", *own.find("memory"));
    const result::SystemResult system = simulate_system(r, tree);
    const result::StepResult& step = system.programs.at(0).step;
    EXPECT_EQ(step.total_s, alone.total_s) << device;
    EXPECT_EQ(step.losses_s, alone.losses_s) << device;
    EXPECT_EQ(step.metrics.dram_transferred_B, alone.metrics.dram_transferred_B) << device;
    EXPECT_NEAR(*step.metrics.energy_J_per_token, *alone.metrics.energy_J_per_token,
                1e-9 * *alone.metrics.energy_J_per_token)
        << device;
    EXPECT_EQ(failed(system), "") << device;
  }
}

TEST(System, TwoEqualMemoryBoundNpusHaveHalfTheSpeedOfOneAndOnTwiceTheChannelsAllOfIt) {
  const double alone = simulate(request_of(shipped("npu-raiderchip-asic"))).metrics.tokens_per_s;
  const std::string two =
      "units: {a: " + kNpu + ", b: " + kNpu + "}\nprograms: {x: {units: a}, y: {units: b}}\n";
  const auto speeds = [&](int channels) {
    const result::SystemResult r = run(request_of(system_file("two", two, channels)));
    EXPECT_EQ(failed(r), "");
    EXPECT_EQ(r.units[0].dram_read_B, r.units[1].dram_read_B);
    EXPECT_NEAR(r.units[0].energy_J, r.units[1].energy_J, 1e-3 * r.units[0].energy_J);
    for (const result::ProgramResult& p : r.programs)
      EXPECT_NEAR(sum_of(p.step.losses_s), p.step.total_s, 1e-9 * p.step.total_s);
    return std::pair(r.programs[0].step.metrics.tokens_per_s / alone,
                     r.programs[1].step.metrics.tokens_per_s / alone);
  };
  const auto [half, other] = speeds(8);
  EXPECT_NEAR(half, 0.5, 0.02);
  EXPECT_NEAR(other, 0.5, 0.02);
  const auto [whole, second] = speeds(16);
  EXPECT_NEAR(whole, 1.0, 0.02);
  EXPECT_NEAR(second, 1.0, 0.02);
}

TEST(System, ChargesContentionWhereProgramsShareTheMemoryAndNoneWhereTheyDoNotMeet) {
  const std::string with_cpu =
      "units: {a: " + kNpu + ", cpu: " + kCpu +
      "}\nprograms: {x: {units: a}, y: {units: cpu, model: smollm2-135m, quant: Q4_0}}\n";
  const result::SystemResult r = run(request_of(system_file("contend", with_cpu)));
  EXPECT_EQ(failed(r), "");
  const auto contention = static_cast<std::size_t>(activity::Loss::contention);
  EXPECT_GT(r.programs[0].step.losses_s[contention], 0);
  EXPECT_GT(r.programs[1].step.losses_s[contention], 0);
  const result::SystemResult alone = run(request_of(
      system_file("idle", "units: {a: " + kNpu + ", cpu: " + kCpu + "}\nprograms: {x: {units: a}}\n")));
  EXPECT_EQ(alone.programs[0].step.losses_s[contention], 0);
  EXPECT_EQ(alone.units[1].program, "");
  EXPECT_GT(alone.units[1].energy_J, 0) << "an idle unit is billed too";
}

TEST(System, UnitsTakeTurnsInOneProgramAndHandResultsOverThroughMemory) {
  StepRequest r = request_of(shipped("system/rk3588"));
  r.quant = "int8";
  const result::SystemResult system = run(r);
  EXPECT_EQ(failed(system), "");
  const result::StepResult& step = system.programs.at(0).step;
  const result::UnitResult &npu = system.units[0], &a76 = system.units[1], &a55 = system.units[2];
  EXPECT_EQ(npu.kind, "npu");
  EXPECT_GT(npu.macs, 0);
  EXPECT_EQ(a76.macs, 0) << "norms have no products";
  EXPECT_GT(a76.dram_read_B, 0) << "what the NPU hands over";
  EXPECT_EQ(a55.operators, 0);
  EXPECT_GT(step.losses_s[static_cast<std::size_t>(activity::Loss::handover)], 0);
  bool norms = false;
  for (const result::OperatorResult& op : step.operators) {
    if (op.kind == "norm") norms = op.runs_on == "a76";
    if (op.kind == "matmul") {
      EXPECT_EQ(op.runs_on, "npu") << op.name;
    }
  }
  EXPECT_TRUE(norms);
}

TEST(System, LongerHandOversCostTheirTimeOnceAStage) {
  const auto total = [](const char* handover) {
    StepRequest r = request_of(shipped("system/rk3588"));
    r.quant = "int8";
    r.overrides = {std::string("placement.handover=") + handover, "memory.background.bandwidth=1 MB/s"};
    return run(r).programs.at(0).step.total_s;
  };
  // 30 layers of 4 stages on each unit, and sampling: between 100 and 200 times.
  const double more = total("120 us") - total("20 us");
  EXPECT_GT(more, 100 * 100e-6);
  EXPECT_LT(more, 200 * 100e-6);
}

TEST(System, RefusesWhatItCannotRun) {
  const std::string two = "units: {a: " + kNpu + ", cpu: " + kCpu + "}\n";
  EXPECT_THAT(error_of(system_file("e1", two)),
              HasSubstr("'placement' or 'programs' must say what they run"));
  EXPECT_THAT(error_of(system_file("e2", two + "programs: {x: {units: b}}\n")),
              HasSubstr("no unit 'b'; there are: a, cpu"));
  EXPECT_THAT(error_of(system_file("e3", two + "programs: {x: {units: a}, y: {units: a}}\n")),
              HasSubstr("unit 'a' runs program 'x' already"));
  EXPECT_THAT(error_of(system_file(
                  "e4", two + "placement: {cpu: [sample], a: rest, handover: 1 us, source: assumed}\n")),
              HasSubstr("unit 'a' is of kind npu"));
  EXPECT_THAT(error_of(system_file("e5", two + "placement: {cpu: [sample], a: rest}\n")),
              HasSubstr("'handover' is missing"));
  EXPECT_THAT(
      error_of(system_file("e6", "units: {a: {extends: npu-raiderchip-asic, memory: {channels: 4}}}\n")),
      HasSubstr("the memory of unit 'a' is the system's"));
}

TEST(System, RefusesProgramsThatFitOneByOneButNotTogether) {
  const std::string two =
      "units: {a: " + kNpu + ", b: " + kNpu + "}\nprograms: {x: {units: a}, y: {units: b}}\n";
  StepRequest r = request_of(system_file("full", two, 1), "llama-3.2-1b");
  EXPECT_NO_THROW(simulate_detail::place(r, hardware_of(r)));
  r.quant = "Q8_0";
  EXPECT_THROW(simulate_detail::place(r, hardware_of(r)), InfeasibleError);
  r.hardware = system_file("one", "units: {a: " + kNpu + "}\n", 1);
  EXPECT_NO_THROW(simulate_detail::place(r, hardware_of(r)));
}

// What a program says of its step, without running it.
std::string trace_of_program(const std::string& keys) {
  const std::string file =
      system_file("keys", "units: {a: " + kNpu + "}\nprograms: {x: {units: a" + keys + "}}\n");
  const StepRequest r = request_of(file);
  const simulate_detail::PlacedSystem placed = simulate_detail::place(r, hardware_of(r));
  return workload::write_trace(placed.programs.at(0).trace);
}

TEST(System, EachKeyOfAProgramChangesItsStep) {
  const std::string plain = trace_of_program("");
  for (const char* keys : {", model: smollm2-360m", ", quant: Q8_0", ", phase: prefill", ", context: 65",
                           ", batch: 2", ", kv: q8_0", ", phase: prefill, prompt: 7"})
    EXPECT_NE(trace_of_program(keys), plain) << keys;
  EXPECT_NE(trace_of_program(", phase: prefill, prompt: 7"), trace_of_program(", phase: prefill, prompt: 8"));
  EXPECT_THROW(trace_of_program(", prompt: 7"), InputError);
  EXPECT_THROW(trace_of_program(", phase: prefill, batch: 2"), InputError);
  EXPECT_THROW(trace_of_program(", contxt: 7"), InputError);
}

TEST(System, ProgramsLieBehindEachOther) {
  const std::string two = "units: {a: " + kNpu + ", b: " + kNpu +
                          "}\nprograms: {x: {units: a}, y: {units: b, model: smollm2-360m}}\n";
  const StepRequest r = request_of(system_file("places", two));
  const simulate_detail::PlacedSystem placed = simulate_detail::place(r, hardware_of(r));
  const simulate_detail::PlacedProgram &x = placed.programs[0], &y = placed.programs[1];
  EXPECT_EQ(x.address, 0);
  EXPECT_GE(y.address, x.bytes.count());
  EXPECT_GE(x.bytes, x.trace.resident_weights);
  EXPECT_EQ(y.first, x.operators());
}

TEST(System, APatternThatFitsNoOperatorIsNamed) {
  StepRequest r = request_of(shipped("system/rk3588"));
  r.quant = "int8";
  r.overrides = {"placement.a76=[attn_nrom]"};
  try {
    run(r);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr("'attn_nrom' fits no operator"));
    EXPECT_THAT(e.what(), HasSubstr("attn_norm"));
  }
}

}  // namespace
}  // namespace edgenpu
