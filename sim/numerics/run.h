// Runs a GGUF model over given tokens and compares the logits with those of float arithmetic: the room's
// front door, without Eigen in its header.
//
// Errors: InputError for a bad file, tokens outside the vocabulary, no tokens, options out of range.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "numerics/accuracy.h"
#include "numerics/npu_options.h"
#include "vocabulary/weight_format.h"

namespace edgenpu::numerics {

enum class ArithmeticKind { float32, ggml, npu };
enum class RunMode { prefill, decode };  // all tokens at once, or one after the other

struct NumericsRequest {
  std::string gguf;
  std::vector<std::int32_t> tokens;
  RunMode mode = RunMode::prefill;
  ArithmeticKind arithmetic = ArithmeticKind::float32;
  NpuArithmetic engine;                  // of npu
  std::optional<vocabulary::Format> kv;  // default: F32 for float, F16 otherwise
  std::int64_t greedy_steps = 0;         // decode: tokens that the model adds by itself
  bool compare = true;                   // with float arithmetic and an F32 KV cache
  bool operators = false;                // the error of each product on its own inputs
};

struct OperatorRow {
  std::string name;
  double relative_rms, largest;
};

struct NumericsResult {
  std::string architecture;
  std::int64_t vocabulary = 0;
  std::vector<std::int32_t> tokens;   // as fed, greedy ones included
  std::vector<std::int32_t> choices;  // the largest logit of each position
  std::vector<float> logits;          // [tokens][vocabulary]
  std::int64_t kv_bytes = 0;
  std::optional<Accuracy> accuracy;  // if compared
  std::vector<OperatorRow> operators;
};

NumericsResult run_numerics(const NumericsRequest& request);

// A table of quantisers and their errors on the values of one tensor (the first million of them).
std::string compare_quantisers_on(const std::string& gguf, const std::string& tensor);

}  // namespace edgenpu::numerics
