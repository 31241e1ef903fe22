#include "workload/mixture.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>

#include "base/rates.h"
#include "base/suggest.h"

namespace edgenpu::workload {

namespace {

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

using vocabulary::MixtureRule;
using vocabulary::Where;

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

Format choose(const MixtureRule& rule, const Model& m, const Tensor& t) {
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

// F16 where the format with smaller blocks does not fit either.
Format with_fallback(Format format, std::int64_t row) {
  if (fits(format, row)) return format;
  const std::optional<Format> smaller = vocabulary::smaller_block(format);
  return smaller && fits(*smaller, row) ? *smaller : Format::F16;
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

const Mixture& mixture_by_name(const std::string& name, const Position& where) {
  for (const Mixture& m : vocabulary::mixtures())
    if (name == m.name) return m;
  // As people write them: "q4_k_m".
  for (const Mixture& m : vocabulary::mixtures())
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
  if (mixture.ends && (tensor.role == Role::token_embd || tensor.role == Role::output)) return *mixture.ends;
  if (mixture.experts && tensor.matrices > 1) return with_fallback(*mixture.experts, tensor.row);
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
