// Which type each tensor of a model gets in a named mixture (vocabulary/mixtures.h).
//
// Modelled: the rules by which published files were made (2025: a fused attn_qkv has rules of its own), the
// exceptions for exactly 8 experts and for 80 layers, and the fallbacks for rows that do not fill a block.
// Left out: importance matrices (Q4_0 then has some ffn_down in Q4_1), IQ mixtures below 4 bits, Falcon, rules
// before 2024. Checked against the sizes of published files.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "vocabulary/mixtures.h"
#include "workload/tensors.h"

namespace edgenpu::workload {

using vocabulary::Mixture;
using vocabulary::mixture_names;

// InputError blamed on `where` for an unknown name; lists the known ones and suggests the nearest.
const Mixture& mixture_by_name(const std::string& name, const Position& where = {"--quant", 0, 0});

Format tensor_format(const Mixture& mixture, const Model& model, const Tensor& tensor);

// A tensor with the type it is stored in.
struct StoredTensor {
  Tensor tensor;
  Format format = Format::F32;
  // Sparse: this share of a row's elements is kept, in whole blocks, each with an index of so many bits.
  double density = 1;
  std::int64_t index_bits = 0;

  std::int64_t kept_per_row() const;
  Bytes matrix_bytes() const;  // one of its matrices
  Bytes bytes() const;
};

std::vector<StoredTensor> stored_tensors(const Model& model, const Mixture& mixture);

// Tensor data of the file: each tensor is padded to 32 B.
Bytes tensor_data_bytes(const std::vector<StoredTensor>& tensors);

}  // namespace edgenpu::workload
