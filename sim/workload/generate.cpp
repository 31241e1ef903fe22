#include "workload/generate.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/suggest.h"
#include "workload/step_builder.h"

namespace edgenpu::workload {
namespace {

// Beyond any use.
constexpr std::int64_t kMaxTokens = std::int64_t{1} << 22, kMaxBatch = 1 << 16;

void check_count(const char* option, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value < low || value > high)
    throw InputError({option, 0, 0}, fmt::format("{} is out of range; allowed: {} to {}", value, low, high));
}

void check_kv_format(const Model& m, Format kv) {
  const std::int64_t other = m.global_heads ? m.global_heads->head_dim : m.head_dim;
  if (m.head_dim % info(kv).block_elements == 0 && other % info(kv).block_elements == 0) return;
  throw InputError({"--kv", 0, 0},
                   fmt::format("{} has blocks of {} elements, which do not fit the heads of {} ({})",
                               info(kv).name, info(kv).block_elements, m.name, m.head_dim));
}

Bytes resident_kv(const StoredModel& stored, const Step& step) {
  const Model& m = stored.model;
  Bytes sum{0};
  for (std::int64_t i = 0; i < m.layers; ++i) {
    // The two rows of a short convolution's state.
    if (!m.attends(i)) sum += row_bytes(Format::F16, m.hidden) * 2;
    if (!m.attends(i) || !m.keeps_cache(i)) continue;
    const LayerUse use = stored.use_of(i);
    const std::int64_t window = m.window_of(i);
    const std::int64_t tokens = kept_tokens(step.context, use.tokens) + kept_tokens(step.tokens, use.tokens);
    const std::int64_t rows = use.kv_heads * (window == 0 ? tokens : std::min(tokens, window));
    sum += row_bytes(step.kv_format, m.head_dim_of(i)) * (2 * rows);
  }
  return sum * step.requests;
}

void check_magnitude(const Model& m, const std::vector<Operator>& operators) {
  double sum = 0;
  for (const Operator& op : operators) sum += magnitude(op.body);
  if (sum > kMaxMagnitude)
    throw InputError({"--context", 0, 0},
                     fmt::format("a step of {} with so many tokens has more products or bytes "
                                 "than 64 bits can count",
                                 m.name));
}

Trace generate(const StoredModel& stored, Phase phase, const Step& step) {
  check_kv_format(stored.model, step.kv_format);
  Trace trace;
  trace.model = model_id(stored.model);
  trace.quant = stored.quant;
  trace.stand_in = stored.model.stand_in;
  trace.phase = phase;
  trace.context = step.context;
  trace.positions = stored.model.max_position;
  trace.tokens = step.tokens;
  trace.batch = step.requests;
  trace.kv_format = step.kv_format;
  trace.operators = StepBuilder(stored, step).build();
  check_magnitude(stored.model, trace.operators);
  trace.resident_weights = tensor_data_bytes(stored.tensors);
  trace.resident_kv = resident_kv(stored, step);
  return trace;
}

}  // namespace

LayerUse StoredModel::use_of(std::int64_t layer) const {
  LayerUse use;
  if (!uses.empty()) use = uses.at(static_cast<std::size_t>(layer));
  if (use.heads == 0) use.heads = model.heads;
  if (use.kv_heads == 0) use.kv_heads = model.kv_heads_of(layer);
  return use;
}

double distinct_experts(std::int64_t experts, std::int64_t active, std::int64_t tokens) {
  const auto all = static_cast<double>(experts);
  return all * touched(static_cast<double>(active) / all, tokens);
}

double touched(double probability, std::int64_t tokens) {
  return 1 - std::pow(1 - probability, static_cast<double>(tokens));
}

StoredModel store(const Model& model, const std::string& quant) {
  return {model, quant, stored_tensors(model, mixture_by_name(quant)), "", {}};
}

Trace generate_decode(const StoredModel& model, std::int64_t context, std::int64_t batch, Format kv_format) {
  check_count("--context", context, 0, kMaxTokens);
  check_count("--batch", batch, 1, kMaxBatch);
  const Step step{batch, 1, context, kv_format};
  return generate(model, Phase::decode, step);
}

Trace generate_decode(const Model& model, const std::string& quant, std::int64_t context, std::int64_t batch,
                      Format kv_format) {
  return generate_decode(store(model, quant), context, batch, kv_format);
}

Trace generate_prefill(const StoredModel& model, std::int64_t prompt, std::int64_t context,
                       Format kv_format) {
  check_count("--prompt", prompt, 1, kMaxTokens);
  check_count("--context", context, 0, kMaxTokens);
  const Step step{1, prompt, context, kv_format};
  return generate(model, Phase::prefill, step);
}

Trace generate_prefill(const Model& model, const std::string& quant, std::int64_t prompt,
                       std::int64_t context, Format kv_format) {
  return generate_prefill(store(model, quant), prompt, context, kv_format);
}

Format kv_format_by_name(const std::string& name, const Position& where) {
  if (name == "f16") return Format::F16;
  if (name == "q8_0") return Format::Q8_0;
  if (name == "q4_0") return Format::Q4_0;
  const std::vector<std::string> names = {"f16", "q8_0", "q4_0"};
  throw InputError(where, fmt::format("unknown KV format '{}'; allowed: {}{}", name, join(names),
                                      did_you_mean(name, names)));
}

}  // namespace edgenpu::workload
