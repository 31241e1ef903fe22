#include "vocabulary/mixtures.h"

namespace edgenpu::vocabulary {
namespace {

using F = Format;

constexpr MixtureRule always(Format format) {
  return {Where::never, format, format};
}

Mixture uniform(const char* name, int file_type, Format f, bool exceptions = false) {
  return {name, file_type, f, f, always(f), always(f), f, f, f, exceptions, std::nullopt, std::nullopt};
}

// Of a format that code does not treat by name.
Mixture uniform(const char* name, const char* format) {
  return uniform(name, -1, format_named(format));
}

Mixture layers_only(const char* name, const char* format, const char* ends = "F16") {
  Mixture m = uniform(name, format);
  m.ends = format_named(ends);
  return m;
}

Mixture experts_apart(const char* name, int file_type, Format experts, Format others) {
  Mixture m = uniform(name, file_type, others);
  m.experts = experts;
  return m;
}

// The last three types: attn_output, attn_qkv, and attn_output where there are exactly 8 experts.
// clang-format off
std::vector<Mixture> make_table() {
  constexpr F Q2 = F::Q2_K, Q3 = F::Q3_K, Q4 = F::Q4_K, Q5 = F::Q5_K, Q6 = F::Q6_K, Q40 = F::Q4_0, NL = F::IQ4_NL, XS = F::IQ4_XS;
  const F Q44 = format_named("Q4_0_4_4");
  const std::optional<F> no, Q8 = F::Q8_0;
  return {
    // name    type base head attn_v                         ffn_down
    {"Q2_K",   10, Q2,  Q6, {Where::if_4_share, Q4, Q3},    always(Q3),                      Q3,  Q2,  Q5,  true, no, no},
    {"Q3_K_S", 11, Q3,  Q6, always(Q3),                     always(Q3),                      Q3,  Q3,  Q5,  true, no, no},
    {"Q3_K_M", 12, Q3,  Q6, {Where::first_2, Q5, Q4},       {Where::first_sixteenth, Q5, Q4}, Q4, Q4,  Q5,  true, no, no},
    {"Q3_K_L", 13, Q3,  Q6, always(Q5),                     always(Q5),                      Q5,  Q4,  Q3,  true, no, no},
    {"Q4_0",    2, Q40, Q6, always(Q40),                    always(Q40),                     Q40, Q40, Q40, true, no, no},
    {"Q4_K_S", 14, Q4,  Q6, {Where::first_4, Q5, Q4},       {Where::first_eighth, Q5, Q4},   Q4,  Q4,  Q5,  true, no, no},
    {"Q4_K_M", 15, Q4,  Q6, {Where::more_bits, Q6, Q4},     {Where::more_bits, Q6, Q4},      Q4,  Q5,  Q5,  true, no, no},
    {"Q5_K_S", 16, Q5,  Q6, always(Q5),                     always(Q5),                      Q5,  Q5,  Q5,  true, no, no},
    {"Q5_K_M", 17, Q5,  Q6, {Where::more_bits, Q6, Q5},     {Where::more_bits, Q6, Q5},      Q5,  Q6,  Q5,  true, no, no},
    uniform("Q6_K", 18, Q6, true),
    uniform("Q8_0", 7, F::Q8_0, true),
    {"Q4_1",    3, F::Q4_1, Q6, always(F::Q4_1),            always(F::Q4_1),                 F::Q4_1, F::Q4_1, F::Q4_1, true, no, no},
    {"Q5_0",    8, F::Q5_0, Q6, always(F::Q5_0),            always(F::Q5_0),                 F::Q5_0, F::Q5_0, F::Q5_0, true, no, no},
    {"Q5_1",    9, F::Q5_1, Q6, always(F::Q5_1),            always(F::Q5_1),                 F::Q5_1, F::Q5_1, F::Q5_1, true, no, no},
    // With embedding and head in 8 bits: names of a publisher of files (bartowski).
    {"Q2_K_L", -1, Q2,  Q6, {Where::if_4_share, Q4, Q3},    always(Q3),                      Q3,  Q2,  Q5,  true, Q8, no},
    {"Q3_K_XL", -1, Q3, Q6, always(Q5),                     always(Q5),                      Q5,  Q4,  Q3,  true, Q8, no},
    {"Q4_K_L", -1, Q4,  Q6, {Where::more_bits, Q6, Q4},     {Where::more_bits, Q6, Q4},      Q4,  Q5,  Q5,  true, Q8, no},
    {"Q5_K_L", -1, Q5,  Q6, {Where::more_bits, Q6, Q5},     {Where::more_bits, Q6, Q5},      Q5,  Q6,  Q5,  true, Q8, no},
    {"Q6_K_L", -1, Q6,  Q6, always(Q6),                     always(Q6),                      Q6,  Q6,  Q6,  true, Q8, no},
    {"Q4_0_4_4", -1, Q44, Q6, always(Q44),                  always(Q44),                     Q44, Q44, Q44, true, no, no},
    {"IQ4_NL", 25, NL,  Q6, {Where::if_4_share, Q5, NL},    {Where::first_eighth, Q5, NL},   NL,  NL,  Q5,  true, no, no},
    {"IQ4_XS", 30, XS,  Q6, {Where::if_4_share, Q5, XS},    {Where::first_eighth, Q5, XS},   XS,  XS,  Q5,  true, no, no},
    uniform("F16", 1, F::F16),
    uniform("BF16", 32, F::BF16),
    uniform("F32", 0, F::F32),
    uniform("q4f16", "Q4F16_32"),
    layers_only("w8a8", "W8"),
    layers_only("w4a16", "W4_128"),
    layers_only("awq", "AWQ_128"),
    layers_only("nvfp4", "NVFP4"),
    uniform("nvfp4-all", "NVFP4"),
    experts_apart("MXFP4_MOE", 38, F::MXFP4, F::Q8_0),
    experts_apart("mxfp4", -1, F::MXFP4, F::BF16),
    uniform("int8", "W8"),
    uniform("int4", "W4_128"),
    layers_only("int4-channel", "W4", "W8"),
    layers_only("int4-g32", "W4_32", "W8"),
    layers_only("int4-g128", "W4_128", "W8"),
    // By the names of Rockchip's toolkit.
    layers_only("w4a16_g32", "W4_32", "W8"),
    layers_only("w4a16_g128", "W4_128", "W8"),
    uniform("w8a8_g128", "W8"),
    uniform("w8a8_g256", "W8"),
    uniform("w8a8_g512", "W8"),
    uniform("q4nx", "Q4_1"),
    uniform("axera-s8", "AX_S8"),
    layers_only("axera-s4", "AX_S4", "AX_S8"),
  };
}
// clang-format on

}  // namespace

const std::vector<Mixture>& mixtures() {
  static const std::vector<Mixture> table = make_table();
  return table;
}

std::vector<std::string> mixture_names() {
  std::vector<std::string> names;
  for (const Mixture& m : mixtures()) names.emplace_back(m.name);
  return names;
}

const char* file_type_name(std::int64_t type) {
  for (const Mixture& m : mixtures())
    if (m.file_type >= 0 && m.file_type == type) return m.name;
  // Those that an importance matrix decides, or of models trained to three values.
  static constexpr struct {
    std::int64_t type;
    const char* name;
  } kOthers[] = {{19, "IQ2_XXS"}, {20, "IQ2_XS"}, {21, "Q2_K_S"}, {22, "IQ3_XS"}, {23, "IQ3_XXS"},
                 {24, "IQ1_S"},   {26, "IQ3_S"},  {27, "IQ3_M"},  {28, "IQ2_S"},  {29, "IQ2_M"},
                 {31, "IQ1_M"},   {36, "TQ1_0"},  {37, "TQ2_0"}};
  for (const auto& other : kOthers)
    if (other.type == type) return other.name;
  return nullptr;
}

std::optional<Format> smaller_block(Format format) {
  switch (format) {
    case F::Q2_K:
    case F::Q3_K:
    case F::IQ4_XS:
      return F::IQ4_NL;
    case F::Q4_K:
      return F::Q5_0;
    case F::Q5_K:
      return F::Q5_1;
    case F::Q6_K:
      return F::Q8_0;
    default:
      return std::nullopt;
  }
}

}  // namespace edgenpu::vocabulary
