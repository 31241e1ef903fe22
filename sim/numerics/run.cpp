#include "numerics/run.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/suggest.h"
#include "numerics/group_quantise.h"
#include "numerics/npu_arithmetic.h"
#include "numerics/operand_choice.h"
#include "numerics/operator_errors.h"
#include "numerics/transformer.h"

namespace edgenpu::numerics {
namespace {

std::unique_ptr<Arithmetic> make(const NumericsRequest& r) {
  switch (r.arithmetic) {
    case ArithmeticKind::ggml:
      return make_ggml_arithmetic();
    case ArithmeticKind::npu:
      return make_npu_arithmetic(r.engine);
    case ArithmeticKind::float32:
      break;
  }
  return make_float_arithmetic();
}

void append(const Rows& rows, std::vector<float>& all) {
  all.insert(all.end(), rows.data(), rows.data() + rows.size());
}

void run_prefill(Transformer& t, NumericsResult& result) {
  const Rows logits = t.forward(result.tokens);
  append(logits, result.logits);
  for (Eigen::Index i = 0; i < logits.rows(); ++i) result.choices.push_back(greedy(logits, i));
}

void run_decode(Transformer& t, std::int64_t greedy_steps, NumericsResult& result) {
  const std::size_t total = result.tokens.size() + static_cast<std::size_t>(greedy_steps);
  for (std::size_t i = 0; i < total; ++i) {
    if (i == result.tokens.size()) result.tokens.push_back(result.choices.back());
    const Rows logits = t.forward({result.tokens[i]});
    append(logits, result.logits);
    result.choices.push_back(greedy(logits, 0));
  }
}

// The same tokens, greedy ones included, in float arithmetic.
std::vector<float> reference_logits(const LoadedModel& model, const std::vector<std::int32_t>& tokens) {
  const auto arithmetic = make_float_arithmetic();
  Transformer t(model, *arithmetic, Format::F32);
  std::vector<float> logits;
  append(t.forward(tokens), logits);
  return logits;
}

void run(const NumericsRequest& r, const LoadedModel& model, const Arithmetic& arithmetic,
         NumericsResult& result) {
  const Format fallback = r.arithmetic == ArithmeticKind::float32 ? Format::F32 : Format::F16;
  Transformer t(model, arithmetic, r.kv.value_or(fallback));
  if (r.mode == RunMode::prefill) {
    run_prefill(t, result);
  } else {
    run_decode(t, r.greedy_steps, result);
  }
  result.vocabulary = t.vocabulary();
  result.kv_bytes = t.cache().bytes();
}

// Float arithmetic on sound weights is finite; and nothing can be said to agree with what is not.
void refuse_not_finite(const std::string& gguf, const std::vector<float>& logits,
                       const NumericsResult& result) {
  const std::int64_t p = first_not_finite(logits, result.vocabulary);
  if (p < 0) return;
  throw InputError(
      Position{gguf},
      fmt::format("the logits of position {} (token {}) are no finite numbers in float arithmetic: "
                  "the weights hold NaN, infinity or values out of range",
                  p, result.tokens[static_cast<std::size_t>(p)]));
}

}  // namespace

NumericsResult run_numerics(const NumericsRequest& r) {
  if (r.tokens.empty()) throw InputError(Position{"--tokens"}, "no tokens; at least one is needed");
  if (r.greedy_steps < 0 || (r.greedy_steps > 0 && r.mode == RunMode::prefill))
    throw InputError(
        Position{"--greedy"},
        fmt::format("{} greedy steps; they go with decode and are not negative", r.greedy_steps));
  const LoadedModel model(r.gguf);
  if (r.arithmetic == ArithmeticKind::npu) check_operands(r.engine, model.file);
  const std::unique_ptr<Arithmetic> arithmetic = make(r), reference = make_float_arithmetic();
  NumericsResult result;
  result.architecture = model.architecture.name;
  result.tokens = r.tokens;
  const OperatorErrors probe(*arithmetic, *reference);
  run(r, model, r.operators ? static_cast<const Arithmetic&>(probe) : *arithmetic, result);
  for (const auto& [name, e] : probe.errors())
    result.operators.push_back({name, e.relative_rms(), e.largest});
  if (r.arithmetic == ArithmeticKind::float32) refuse_not_finite(r.gguf, result.logits, result);
  if (!r.compare) return result;
  const std::vector<float> exact = reference_logits(model, result.tokens);
  refuse_not_finite(r.gguf, exact, result);
  result.accuracy = compare_logits(result.logits, exact, result.vocabulary);
  return result;
}

std::string compare_quantisers_on(const std::string& gguf, const std::string& tensor) {
  const workload::GgufFile file = workload::GgufFile::open(gguf);
  const workload::GgufTensor* t = file.find_tensor(tensor);
  if (t == nullptr) {
    std::vector<std::string> names;
    for (const workload::GgufTensor& other : file.tensors()) names.push_back(other.name);
    throw InputError(Position{gguf}, fmt::format("no tensor '{}'{}", tensor, did_you_mean(tensor, names)));
  }
  const std::int64_t row = t->dims.front();
  if (row % 256 != 0)
    throw InputError(Position{gguf},
                     fmt::format("tensor '{}': rows of {}; multiples of 256 are compared", tensor, row));
  constexpr std::int64_t kMost = 1 << 20;
  const std::int64_t count = std::min(t->elements(), std::max(row, kMost / row * row));
  std::vector<float> values(static_cast<std::size_t>(count));
  decode(t->format, file.data(*t), count, values.data());
  return format_table(compare_quantisers(values.data(), count, {4, 32, 128, 256}));
}

}  // namespace edgenpu::numerics
