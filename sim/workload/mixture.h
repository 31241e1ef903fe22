// Which type each tensor gets in a named mixture ("Q4_K_M"): the rules of llama.cpp's quantiser, as a table.
//
// Modelled: the rules by which published files were made (2025: a fused attn_qkv has rules of its own), the
// exceptions for exactly 8 experts and for 80 layers, and the fallbacks for rows that do not fill a block.
// "q4f16" is MLC's q4f16_1: every matrix in 4 bits with an f16 scale per 32. "w8a8", "w4a16" (groups of 128)
// and "awq" quantise the matrices of the layers and leave embedding and head in F16, as SmoothQuant, GPTQ and
// AWQ publish them. "int8", "int4" (groups of 128) and "q4nx" (Q4_1, taken for FastFlowLM's format) give
// every matrix one type; "int4-channel", "int4-g32" and "int4-g128" have embedding and head in int8, as
// RKLLM, Qualcomm's and Meta's 4-bit files do. "w4a16_g32" and "w4a16_g128" are the latter two by RKLLM's
// names; "w8a8_g128", "w8a8_g256" and "w8a8_g512" are "int8" whose scales of groups (at most 1.6 % of the
// bytes) are left out. "axera-s8" and "axera-s4" are what Axera's compiler makes of
// w8a16 and w4a16 (the head in int8 in both). "MXFP4_MOE" (llama.cpp's) and "mxfp4" (OpenAI's release) have
// experts in MXFP4 and all else in Q8_0 or BF16; "nvfp4" has the matrices of the layers in NVFP4, "nvfp4-all"
// the head as well. Norms and biases are left at F32 in all. Left out: importance matrices (Q4_0 then has
// some ffn_down in Q4_1), IQ mixtures below 4 bits, Falcon, rules before 2024. Source: src/llama-quant.cpp of
// llama.cpp at c392e509; checked against the sizes of published files.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "workload/tensors.h"

namespace edgenpu::workload {

struct Mixture;

std::vector<std::string> mixture_names();

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
