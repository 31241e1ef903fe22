// A plausible result made by hand (no simulator ran): an 8B model in 4 bits on LPDDR5 at 102.4 GB/s.
#pragma once

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "config/value.h"
#include "result/step_result.h"

namespace edgenpu::report::test {

inline result::OperatorResult sample_operator(const char* name, const char* kind, std::int64_t count,
                                              const result::Losses& losses, std::int64_t dram,
                                              std::int64_t macs, std::optional<double> energy) {
  result::OperatorResult op;
  op.name = name;
  op.kind = kind;
  op.count = count;
  op.losses_s = losses;
  for (const double s : losses) op.time_s += s;
  op.dram_B = dram;
  op.macs = macs;
  op.energy_J = energy;
  return op;
}

inline void sample_inputs(result::Inputs& in) {
  in.hardware = "hw_configs/npu-8.yaml";
  in.model = "llama-3.1-8b";
  in.quant = "Q4_K_M";
  in.phase = "decode";
  in.kv_format = "F16";
  in.detail = "row";
  in.repeat = "memo";
  in.context = 1024;
  in.resolved_hardware = std::make_shared<const config::Value>(config::parse_text(
      "clock: 1 GHz\nmemory: {channels: 8, capacity: 8 GiB, ideal: false, name: \"8\"}\nregulator: "
      "0.85\nlist: [1, a]\n",
      "npu-8.yaml"));
  in.hardware_hash = "0f3a";
}

inline result::StepResult sample() {
  result::StepResult r;
  sample_inputs(r.inputs);
  r.total_s = 0.0512;
  r.metrics.tokens_per_s = 1 / r.total_s;
  r.metrics.ms_per_token = 51.2;
  r.metrics.energy_J_per_token = 0.5125;
  r.metrics.tokens_per_J = 1 / 0.5125;
  r.metrics.power_W = 0.5125 / r.total_s;
  r.metrics.edp_J_s = 0.5125 * r.total_s;
  r.metrics.dram_read_B = 4'751'360'000;
  r.metrics.dram_write_B = 131'072;
  r.metrics.dram_transferred_B = 4'753'457'152;
  r.metrics.dram_utilisation = 0.9063;
  r.metrics.matrix_utilisation = 0.0382;
  r.roofline = {21.551, 20.34, 20.01, 511.2, 0.9063, "memory", 76};
  //            transfer refresh row     turn    queue   compute depend  issue   tail
  r.losses_s = {0.0464, 0.0026, 0.0008, 0.0001, 0.0006, 0.0003, 0.0002, 0.0001, 0.0001};
  r.engines = {{"dma", {0.0480, 0.0, 0.0021, 0.0008, 0.0003}},
               {"matrix0", {0.0061, 0.0431, 0, 0.0012, 0.0008}}};
  r.counts = {{"mac_int4_int8", "MACs", "4-bit weight times 8-bit activation", 7'504'658'432},
              {"dram_read_bits", "bits", "Read from DRAM, whole bursts", 38'026'608'640}};
  r.energy_J = {{"matrix", 0.0024},      {"scratchpad", 0.0086},   {"dram_interface", 0.1521},
                {"dram_device", 0.2298}, {"dram_standby", 0.0152}, {"leakage_sram", 0.0021},
                {"uncore", 0.0254},      {"clock_tree", 0.0},      {"regulator_loss", 0.0769}};
  r.operators = {
      sample_operator("blk.*.ffn_down", "matmul", 32, {0.0139, 0.0008, 0.0002, 0, 0.0001, 0, 0, 0, 0},
                      1'421'000'000, 1'879'048'192, 0.1198),
      sample_operator("output", "matmul", 1, {0.0042, 0.0002, 0, 0, 0, 0.0003, 0, 0, 0.0001}, 431'000'000,
                      525'336'576, 0.0364),
      sample_operator("blk.*.attention", "attention", 32,
                      {0.0013, 0, 0.0004, 0.0001, 0.0003, 0, 0.0002, 0, 0}, 134'217'728, 268'435'456,
                      std::nullopt)};
  r.operators[0].counts = {{"dram_read_bits", "bits", "", 11'368'000'000}};
  r.checks = {{"ledger_sums_to_time", true, "0.0512 s"},
              {"energy_coverage", false, "counted but without a price: mac_bf16"}};
  r.notes = {
      "scratchpad_read_B: a bank of 32 KiB lies outside the priced sizes, 64 KiB to 1 MiB; the price is "
      "extrapolated"};
  r.simulation = {1.25, 1.31, 48'000'000, 1'234'567, 0.125, 0.002};
  return r;
}

inline std::string data_path(const std::string& name) {
  return std::string(EDGENPU_SOURCE_DIR) + "/tests/data/report/" + name;
}

inline std::string slurp(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The reviewed text; with EDGENPU_UPDATE_GOLDEN set, `actual` becomes it, for review in the diff.
inline std::string golden(const std::string& name, const std::string& actual) {
  if (std::getenv("EDGENPU_UPDATE_GOLDEN")) std::ofstream(data_path(name), std::ios::binary) << actual;
  return slurp(data_path(name));
}

}  // namespace edgenpu::report::test
