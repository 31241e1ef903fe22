#include "energy/actions.h"

namespace edgenpu::energy {

namespace {

constexpr double kBit = 1.0 / 8;

std::vector<Action> arithmetic() {
  using config::unit::energy;
  const Basis pe = Basis::pe_overhead;
  return {
      {"mac_int4_int8", "MACs", "4-bit weight times 8-bit activation, integer sum", Basis::integer_pe, energy,
       1},
      {"mac_int8", "MACs", "8-bit weight times 8-bit activation, integer sum", Basis::integer_pe, energy, 1},
      {"mac_fp16", "MACs", "fp16 product, fp32 sum", pe, energy, 1},
      {"mac_bf16", "MACs", "bf16 product, fp32 sum", pe, energy, 1},
      {"dequant_weights_int4", "weights", "4-bit weights unpacked to 8 bits", Basis::each, energy, 1},
      {"dequant_weights_int8", "weights", "5-, 6- and 8-bit weights unpacked to 8 bits", Basis::each, energy,
       1},
      {"dequant_scales", "groups", "Scales of weight groups applied to their partial sums", Basis::each,
       energy, 1},
      {"partial_sum_adds", "additions", "fp32 additions of partial sums between matrix engines", Basis::each,
       energy, 1},
      {"vector_fma", "lane operations", "fp32 operations of one vector lane", Basis::each, energy, 1},
  };
}

std::vector<Action> movement() {
  using config::unit::energy;
  using config::unit::energy_per_data;
  using config::unit::energy_per_data_length;
  return {
      {"scratchpad_read_B", "bytes", "Read from the scratchpad", Basis::bank_size, energy_per_data, 1},
      {"scratchpad_write_B", "bytes", "Written to the scratchpad", Basis::bank_size, energy_per_data, 1},
      {"interconnect_B", "bytes", "Moved over the on-chip wires", Basis::wire_length, energy_per_data_length,
       1},
      {"partial_sum_B", "bytes", "Partial sums moved over the wires between matrix engines",
       Basis::wire_length, energy_per_data_length, 1},
      {"control_instructions", "commands", "Commands issued by the command processor", Basis::each, energy,
       1},
      {"core_cycles", "cycles", "Cycles of CPU cores or GPU multiprocessors while the step runs", Basis::each,
       energy, 1},
      {"dram_read_bits", "bits", "Read from DRAM, whole bursts", Basis::each, energy_per_data, kBit},
      {"dram_write_bits", "bits", "Written to DRAM, whole bursts", Basis::each, energy_per_data, kBit},
      {"dram_activate", "commands", "Rows opened and closed again", Basis::each, energy, 1},
      {"dram_refresh_ab", "commands", "All-bank refreshes of one rank", Basis::rank, energy_per_data, 1},
      {"dram_refresh_pb", "commands", "Per-bank refreshes of one rank", Basis::bank, energy_per_data, 1},
  };
}

}  // namespace

const std::vector<Action>& actions() {
  static const std::vector<Action> all = [] {
    std::vector<Action> list = arithmetic();
    for (const Action& a : movement()) list.push_back(a);
    return list;
  }();
  return all;
}

const Action* find_action(const std::string& name) {
  for (const Action& a : actions())
    if (name == a.name) return &a;
  return nullptr;
}

std::vector<std::string> action_names() {
  std::vector<std::string> names;
  for (const Action& a : actions()) names.push_back(a.name);
  return names;
}

}  // namespace edgenpu::energy
