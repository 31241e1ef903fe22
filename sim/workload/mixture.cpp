#include "workload/mixture.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>

#include "base/rates.h"
#include "base/suggest.h"

namespace edgenpu::workload {

namespace {

using F = Format;

// Layers that get the better type.
enum class Where { never, more_bits, first_eighth, first_sixteenth, first_4, first_2, if_4_share };

struct Rule {
  Where where;
  Format better, otherwise;
};

constexpr Rule always(Format format) {
  return {Where::never, format, format};
}

}  // namespace

struct Mixture {
  const char* name;
  Format base;
  Format head;  // output, or a tied token_embd
  Rule attn_v, ffn_down;
  Format attn_output, attn_qkv;
  Format attn_output_8_experts;
  bool exceptions;      // false: every matrix has the base type
  F ends = F::Q8_K;     // of embedding and head, where another is given (Q8_K never is)
  F experts = F::Q8_K;  // of experts' matrices, where another is given
};

namespace {

constexpr Mixture uniform(const char* name, Format f, bool exceptions = false) {
  return {name, f, f, always(f), always(f), f, f, f, exceptions};
}

constexpr Mixture layers_only(const char* name, Format f, Format ends = F::F16) {
  Mixture m = uniform(name, f);
  m.ends = ends;
  return m;
}

constexpr Mixture experts_apart(const char* name, Format experts, Format others) {
  Mixture m = uniform(name, others);
  m.experts = experts;
  return m;
}

// clang-format off
constexpr F Q2 = F::Q2_K, Q3 = F::Q3_K, Q4 = F::Q4_K, Q5 = F::Q5_K, Q6 = F::Q6_K, Q40 = F::Q4_0;

const Mixture kMixtures[] = {
    // The last three types: attn_output, attn_qkv, and attn_output where there are exactly 8 experts.
    // name    base head attn_v                         ffn_down
    {"Q2_K",   Q2,  Q6, {Where::if_4_share, Q4, Q3},    always(Q3),                      Q3,  Q2,  Q5,  true},
    {"Q3_K_S", Q3,  Q6, always(Q3),                     always(Q3),                      Q3,  Q3,  Q5,  true},
    {"Q3_K_M", Q3,  Q6, {Where::first_2, Q5, Q4},       {Where::first_sixteenth, Q5, Q4}, Q4, Q4,  Q5,  true},
    {"Q3_K_L", Q3,  Q6, always(Q5),                     always(Q5),                      Q5,  Q4,  Q3,  true},
    {"Q4_0",   Q40, Q6, always(Q40),                    always(Q40),                     Q40, Q40, Q40, true},
    {"Q4_K_S", Q4,  Q6, {Where::first_4, Q5, Q4},       {Where::first_eighth, Q5, Q4},   Q4,  Q4,  Q5,  true},
    {"Q4_K_M", Q4,  Q6, {Where::more_bits, Q6, Q4},     {Where::more_bits, Q6, Q4},      Q4,  Q5,  Q5,  true},
    {"Q5_K_S", Q5,  Q6, always(Q5),                     always(Q5),                      Q5,  Q5,  Q5,  true},
    {"Q5_K_M", Q5,  Q6, {Where::more_bits, Q6, Q5},     {Where::more_bits, Q6, Q5},      Q5,  Q6,  Q5,  true},
    uniform("Q6_K", F::Q6_K, true),
    uniform("Q8_0", F::Q8_0, true),
    {"Q4_1",   F::Q4_1, Q6, always(F::Q4_1),            always(F::Q4_1),                 F::Q4_1, F::Q4_1, F::Q4_1, true},
    {"Q5_0",   F::Q5_0, Q6, always(F::Q5_0),            always(F::Q5_0),                 F::Q5_0, F::Q5_0, F::Q5_0, true},
    {"Q5_1",   F::Q5_1, Q6, always(F::Q5_1),            always(F::Q5_1),                 F::Q5_1, F::Q5_1, F::Q5_1, true},
    // With embedding and head in 8 bits: names of a publisher of files (bartowski).
    {"Q2_K_L", Q2,  Q6, {Where::if_4_share, Q4, Q3},    always(Q3),                      Q3,  Q2,  Q5,  true, F::Q8_0},
    {"Q3_K_XL", Q3, Q6, always(Q5),                     always(Q5),                      Q5,  Q4,  Q3,  true, F::Q8_0},
    {"Q4_K_L", Q4,  Q6, {Where::more_bits, Q6, Q4},     {Where::more_bits, Q6, Q4},      Q4,  Q5,  Q5,  true, F::Q8_0},
    {"Q5_K_L", Q5,  Q6, {Where::more_bits, Q6, Q5},     {Where::more_bits, Q6, Q5},      Q5,  Q6,  Q5,  true, F::Q8_0},
    {"Q6_K_L", F::Q6_K, F::Q6_K, always(F::Q6_K),                   always(F::Q6_K),                     F::Q6_K, F::Q6_K, F::Q6_K, true, F::Q8_0},
    {"Q4_0_4_4", F::Q4_0_4_4, Q6, always(F::Q4_0_4_4),  always(F::Q4_0_4_4), F::Q4_0_4_4, F::Q4_0_4_4, F::Q4_0_4_4, true},
    {"IQ4_NL", F::IQ4_NL, Q6, {Where::if_4_share, Q5, F::IQ4_NL}, {Where::first_eighth, Q5, F::IQ4_NL}, F::IQ4_NL, F::IQ4_NL, Q5, true},
    {"IQ4_XS", F::IQ4_XS, Q6, {Where::if_4_share, Q5, F::IQ4_XS}, {Where::first_eighth, Q5, F::IQ4_XS}, F::IQ4_XS, F::IQ4_XS, Q5, true},
    uniform("F16", F::F16),
    uniform("BF16", F::BF16),
    uniform("F32", F::F32),
    uniform("q4f16", F::Q4F16_32),
    layers_only("w8a8", F::W8),
    layers_only("w4a16", F::W4_128),
    layers_only("awq", F::AWQ_128),
    layers_only("nvfp4", F::NVFP4),
    uniform("nvfp4-all", F::NVFP4),
    experts_apart("MXFP4_MOE", F::MXFP4, F::Q8_0),
    experts_apart("mxfp4", F::MXFP4, F::BF16),
    uniform("int8", F::W8),
    uniform("int4", F::W4_128),
    layers_only("int4-channel", F::W4, F::W8),
    layers_only("int4-g32", F::W4_32, F::W8),
    layers_only("int4-g128", F::W4_128, F::W8),
    // By the names of Rockchip's toolkit.
    layers_only("w4a16_g32", F::W4_32, F::W8),
    layers_only("w4a16_g128", F::W4_128, F::W8),
    uniform("w8a8_g128", F::W8),
    uniform("w8a8_g256", F::W8),
    uniform("w8a8_g512", F::W8),
    uniform("q4nx", F::Q4_1),
    uniform("axera-s8", F::AX_S8),
    layers_only("axera-s4", F::AX_S4, F::AX_S8),
};

// What a type becomes where a row is not whole blocks of it; F16 where that does not fit either.
constexpr struct { Format from, to; } kFallbacks[] = {
    {Q2, F::IQ4_NL}, {Q3, F::IQ4_NL}, {F::IQ4_XS, F::IQ4_NL}, {Q4, F::Q5_0}, {Q5, F::Q5_1}, {Q6, F::Q8_0}};
// clang-format on

// The how-manyth of how many: the quantiser counts the layers that have such a matrix.
std::pair<std::int64_t, std::int64_t> place(const Model& m, const Tensor& t) {
  if (t.role != Role::attn_v) return {t.layer, m.layers};
  std::int64_t before = 0, all = 0;
  for (std::int64_t i = 0; i < m.layers; ++i) {
    if (!m.attends(i) || m.keys_are_values(i)) continue;
    ++all;
    if (i < t.layer) ++before;
  }
  return {before, all};
}

bool applies(Where where, const Model& m, const Tensor& t) {
  const auto [layer, n] = place(m, t);
  switch (where) {
    case Where::never:
      return false;
    // The first and last eighth, and every third layer between.
    case Where::more_bits:
      return layer < n / 8 || layer >= 7 * n / 8 || (layer - n / 8) % 3 == 2;
    case Where::first_eighth:
      return layer < n / 8;
    case Where::first_sixteenth:
      return layer < n / 16;
    case Where::first_4:
      return layer < 4;
    case Where::first_2:
      return layer < 2;
    case Where::if_4_share:
      return m.heads / m.kv_heads >= 4;
  }
  throw InternalError("a mixture rule without a meaning");
}

Format choose(const Rule& rule, const Model& m, const Tensor& t) {
  return applies(rule.where, m, t) ? rule.better : rule.otherwise;
}

bool fits(Format format, std::int64_t row) {
  return row % info(format).block_elements == 0;
}

Format head_format(const Mixture& mix, const Tensor& t) {
  return fits(mix.base, t.row) ? mix.head : Format::Q8_0;
}

// Values of 80-layer models are shared by 8 heads and cost little: never below Q5_K.
Format value_format(const Mixture& mix, const Model& m, const Tensor& t) {
  const Format f = choose(mix.attn_v, m, t);
  return m.layers == 80 && (f == Format::Q3_K || f == Format::Q4_K) ? Format::Q5_K : f;
}

// Before rows are looked at.
Format wanted_format(const Mixture& mix, const Model& m, const Tensor& t) {
  const bool eight = m.moe && m.moe->experts == 8;
  switch (t.role) {
    case Role::output:
      return head_format(mix, t);
    case Role::token_embd:
      return m.tied_embeddings ? head_format(mix, t) : mix.base;
    case Role::attn_v:
      return eight ? Format::Q8_0 : value_format(mix, m, t);
    case Role::attn_k:
      return eight ? Format::Q8_0 : mix.base;
    case Role::attn_output:
      return eight ? mix.attn_output_8_experts : mix.attn_output;
    case Role::attn_qkv:
      return mix.attn_qkv;
    case Role::ffn_down:
      return choose(mix.ffn_down, m, t);
    default:
      return mix.base;
  }
}

Format with_fallback(Format format, std::int64_t row) {
  if (fits(format, row)) return format;
  for (const auto& f : kFallbacks)
    if (f.from == format && fits(f.to, row)) return f.to;
  return Format::F16;
}

std::string lower_case(std::string word) {
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::tolower(c); });
  return word;
}

// Mixtures that people know and whose rules are not here: the nearest name is another size.
std::string other_mixture(const std::string& name) {
  const auto begins = [&](const char* with) { return name.rfind(with, 0) == 0; };
  if (begins("ud-")) return "a mixture chosen tensor by tensor for each model (Unsloth)";
  if (begins("iq1") || begins("iq2") || begins("iq3"))
    return "a mixture that an importance matrix decides, whose rules are not modelled";
  if (begins("tq1") || begins("tq2")) return "a mixture for models trained to three values";
  if (name.find("_k_xl") != std::string::npos) return "a mixture of a publisher's own";
  return "";
}

}  // namespace

std::vector<std::string> mixture_names() {
  std::vector<std::string> names;
  for (const Mixture& m : kMixtures) names.push_back(m.name);
  return names;
}

const Mixture& mixture_by_name(const std::string& name, const Position& where) {
  for (const Mixture& m : kMixtures)
    if (name == m.name) return m;
  // As people write them: "q4_k_m".
  for (const Mixture& m : kMixtures)
    if (lower_case(name) == lower_case(m.name)) return m;
  const std::vector<std::string> names = mixture_names();
  if (const std::string why = other_mixture(lower_case(name)); !why.empty())
    throw InputError(where, fmt::format("'{}' is {}; give the GGUF file itself as --model; allowed: {}", name,
                                        why, join(names)));
  const std::string hint = did_you_mean(name, names);
  throw InputError(where, fmt::format("unknown quantisation '{}'{} allowed: {}", name,
                                      hint.empty() ? ";" : hint, join(names)));
}

Format tensor_format(const Mixture& mixture, const Model& model, const Tensor& tensor) {
  if (tensor.role == Role::unquantised) return Format::F32;
  if (mixture.ends != F::Q8_K && (tensor.role == Role::token_embd || tensor.role == Role::output))
    return mixture.ends;
  if (mixture.experts != F::Q8_K && tensor.matrices > 1) return with_fallback(mixture.experts, tensor.row);
  return with_fallback(mixture.exceptions ? wanted_format(mixture, model, tensor) : mixture.base, tensor.row);
}

std::int64_t StoredTensor::kept_per_row() const {
  if (density >= 1) return tensor.row;
  const std::int64_t block = info(format).block_elements;
  const auto kept = static_cast<std::int64_t>(std::ceil(static_cast<double>(tensor.row) * density - 1e-9));
  return std::min(tensor.row, ceil_div(std::max<std::int64_t>(kept, 1), block) * block);
}

Bytes StoredTensor::matrix_bytes() const {
  const std::int64_t kept = kept_per_row();
  return (row_bytes(format, kept) + Bytes(ceil_div(kept * index_bits, std::int64_t{8}))) * tensor.rows;
}

Bytes StoredTensor::bytes() const {
  return matrix_bytes() * tensor.matrices;
}

std::vector<StoredTensor> stored_tensors(const Model& model, const Mixture& mixture) {
  std::vector<StoredTensor> stored;
  for (Tensor& t : gguf_tensors(model)) {
    const Format format = tensor_format(mixture, model, t);
    stored.push_back({std::move(t), format});
  }
  return stored;
}

Bytes tensor_data_bytes(const std::vector<StoredTensor>& tensors) {
  constexpr std::int64_t kAlignment = 32;
  Bytes sum{0};
  for (const StoredTensor& t : tensors) sum += Bytes(ceil_div(t.bytes().count(), kAlignment) * kAlignment);
  return sum;
}

}  // namespace edgenpu::workload
