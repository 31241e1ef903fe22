// Named mixtures of formats ("Q4_K_M"): one row says which format its matrices have, as data of the rules of
// llama.cpp's quantiser. workload/mixture.h applies them to the tensors of a model.
//
// "q4f16" is MLC's q4f16_1: every matrix in 4 bits with an f16 scale per 32. "w8a8", "w4a16" (groups of 128)
// and "awq" quantise the matrices of the layers and leave embedding and head in F16, as SmoothQuant, GPTQ and
// AWQ publish them. "int8", "int4" (groups of 128) and "q4nx" (Q4_1, taken for FastFlowLM's format) give
// every matrix one type; "int4-channel", "int4-g32" and "int4-g128" have embedding and head in int8, as
// RKLLM, Qualcomm's and Meta's 4-bit files do. "w4a16_g32" and "w4a16_g128" are the latter two by RKLLM's
// names; "w8a8_g128", "w8a8_g256" and "w8a8_g512" are "int8" whose scales of groups (at most 1.6 % of the
// bytes) are left out. "axera-s8" and "axera-s4" are what Axera's compiler makes of
// w8a16 and w4a16 (the head in int8 in both). "MXFP4_MOE" (llama.cpp's) and "mxfp4" (OpenAI's release) have
// experts in MXFP4 and all else in Q8_0 or BF16; "nvfp4" has the matrices of the layers in NVFP4, "nvfp4-all"
// the head as well. Norms and biases are left at F32 in all. Source: src/llama-quant.cpp of llama.cpp at
// c392e509.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "vocabulary/weight_format.h"

namespace edgenpu::vocabulary {

// Layers that get the better type.
enum class Where { never, more_bits, first_eighth, first_sixteenth, first_4, first_2, if_4_share };

struct MixtureRule {
  Where where;
  Format better, otherwise;
};

struct Mixture {
  const char* name;
  int file_type;  // as llama.cpp numbers it in a GGUF file; -1: no number of its own
  Format base;
  Format head;  // output, or a tied token_embd
  MixtureRule attn_v, ffn_down;
  Format attn_output, attn_qkv;
  Format attn_output_8_experts;   // where there are exactly 8 experts
  bool exceptions;                // false: every matrix has the base type
  std::optional<Format> ends;     // of embedding and head, where another is given
  std::optional<Format> experts;  // of experts' matrices, where another is given
};

const std::vector<Mixture>& mixtures();
std::vector<std::string> mixture_names();

// The name of a GGUF file's type, of mixtures without a row here too; nullptr: unknown.
const char* file_type_name(std::int64_t type);

// What a format becomes where a row is not whole blocks of it.
std::optional<Format> smaller_block(Format format);

}  // namespace edgenpu::vocabulary
