#include "numerics/npu_options.h"

#include "config/reader.h"

namespace edgenpu::numerics {

namespace {

template <class Enum>
void choose(config::MapReader& r, const char* key, const std::vector<std::string>& names, Enum& value) {
  value = static_cast<Enum>(r.choice(key, names, static_cast<std::size_t>(value)));
}

int number(config::MapReader& r, const char* key, config::IntRange range, int fallback) {
  return static_cast<int>(r.integer(key, range, fallback));
}

// What the engines multiply is the names of matrix.rate; a description without engines has them all.
void read_operands(const config::Value& hardware, NpuArithmetic& e, Diagnostics& out) {
  const config::Value* section = config::find_path(hardware, "lowering.operands");
  if (!section || !section->is_map()) return;
  std::map<vocabulary::Operands, double> rates;
  const config::Value* rate = config::find_path(hardware, "matrix.rate");
  for (const vocabulary::Operands pair : vocabulary::kAllOperands)
    if (!rate || rate->find(name_of(pair))) rates[pair] = 1;
  e.operands = config::read_operands(*section, rates, out);
}

}  // namespace

NpuArithmetic read_npu_arithmetic(const config::Value& hardware) {
  NpuArithmetic e;
  Diagnostics out;
  read_operands(hardware, e, out);
  const config::Value* section = hardware.find("arithmetic");
  if (section == nullptr) {
    out.throw_if_any();
    return e;
  }
  // Choices of a design, not measured numbers: they need no source.
  config::MapReader r(*section, out, "'arithmetic'", config::Provenance::optional);
  e.half_operands = r.boolean("half_operands", e.half_operands);
  e.activation_bits = number(r, "activation_bits", {2, 8}, e.activation_bits);
  choose(r, "activation_factor", {"block", "row"}, e.activation_factor);
  e.accumulator_bits = number(r, "accumulator_bits", {8, 32}, e.accumulator_bits);
  choose(r, "overflow", {"saturate", "wrap"}, e.overflow);
  e.dropped_bits = number(r, "dropped_bits", {0, 15}, e.dropped_bits);
  choose(r, "cut", {"truncate", "nearest"}, e.cut);
  choose(r, "scale_at", {"accumulator", "group", "row"}, e.scale_at);
  choose(r, "partial_sums", {"f32", "f16", "bf16"}, e.partial_sums);
  e.tile_k = r.integer("tile_k", {0, 1 << 24}, e.tile_k);
  if (e.tile_k % 256 != 0) r.error("tile_k", std::to_string(e.tile_k) + "; multiples of 256 are allowed");
  e.function_entries = number(r, "function_entries", {0, 65536}, e.function_entries);
  if (e.function_entries > 0 && e.function_entries < 8)
    r.error("function_entries", std::to_string(e.function_entries) + "; 0 (exact) or 8 to 65536 are allowed");
  r.finish();
  out.throw_if_any();
  return e;
}

}  // namespace edgenpu::numerics
