// The tensors of a GGUF file where the transformer uses them: each matrix a view of the mapped file, each
// vector decoded to float32. Every shape is checked against the architecture, and a tensor that nothing uses
// is refused rather than ignored.
//
// Errors: InputError with the file and the tensor: missing, another shape, unused.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "numerics/architecture.h"
#include "numerics/block.h"

namespace edgenpu::numerics {

// out = W x: `rows` outputs of `columns` inputs.
struct Matrix {
  std::string name;
  Format format = Format::F32;
  std::int64_t rows = 0, columns = 0;
  const std::uint8_t* data = nullptr;

  std::int64_t row_bytes() const { return vocabulary::row_bytes(format, columns).count(); }
  const std::uint8_t* row(std::int64_t index) const { return data + index * row_bytes(); }
  // The matrix of some of its rows.
  Matrix slice(std::int64_t first, std::int64_t count) const;
};

using Vector = std::vector<float>;  // empty if the model has none

struct Linear {
  Matrix weight;
  Vector bias;
};

struct NormWeights {
  Vector scale, bias;
};

struct Expert {
  Matrix gate, up, down;
};

struct Layer {
  NormWeights attn_norm, ffn_norm, post_attn_norm, post_ffn_norm, q_norm, k_norm;
  Linear q, k, v, output;
  Linear gate, up, down;  // gate is empty where the feed-forward has none
  Matrix router;
  std::vector<Expert> experts;
  Expert shared;
  Matrix shared_gate;  // one row
};

struct Weights {
  Matrix embedding;
  NormWeights output_norm;
  Linear head;
  Vector rope_factors, rope_factors_long;  // divide the frequencies; _long above the original context
  std::vector<Layer> layers;
};

// The file must outlive the result.
Weights load_weights(const workload::GgufFile& file, const Architecture& architecture);

}  // namespace edgenpu::numerics
