// Traces of a model's steps.
//
// Modelled: one forward pass with its true dependencies. Decode: one new token of each of `batch` requests,
// each with `context` tokens cached. Prefill: `prompt` new tokens of one request after `context` cached ones;
// the output norm, head and sampling see the last token only. A sliding-window layer reads min(context,
// window) cached rows. Left out: scalar factors and softcaps (element-wise, on data that another operator
// holds anyway), copies and reshapes, experts for more than one token (the number of distinct experts is not
// yet modelled: InputError), and whether context exceeds the model's max_position, which changes no shape.
//
// Names are those of GGUF without ".weight": "blk.0.attn_q"; operators without a tensor are called blk.N.
// plus rope_q, rope_k, kv_write, attention, attn_add (residual), ffn_act, ffn_add (residual); attn_ffn_add
// where both run in parallel; route and ffn_moe_sum (adds the chosen experts' outputs); and "sample". Errors:
// InputError for an unknown quantisation, counts out of range, or a KV format whose blocks do not fit a head.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workload/mixture.h"
#include "workload/model.h"
#include "workload/trace.h"

namespace edgenpu::workload {

// A model with the type of each of its tensors, from a mixture or from a file.
struct StoredModel {
  Model model;
  std::string quant;  // as shown: "Q4_K_M"
  std::vector<StoredTensor> tensors;
};

StoredModel store(const Model& model, const std::string& quant);

Trace generate_decode(const StoredModel& model, std::int64_t context, std::int64_t batch = 1,
                      Format kv_format = Format::F16);
Trace generate_decode(const Model& model, const std::string& quant, std::int64_t context,
                      std::int64_t batch = 1, Format kv_format = Format::F16);

Trace generate_prefill(const StoredModel& model, std::int64_t prompt, std::int64_t context = 0,
                       Format kv_format = Format::F16);
Trace generate_prefill(const Model& model, const std::string& quant, std::int64_t prompt,
                       std::int64_t context = 0, Format kv_format = Format::F16);

// "f16", "q8_0" or "q4_0", as on the command line.
Format kv_format_by_name(const std::string& name, const Position& where = {"--kv", 0, 0});

}  // namespace edgenpu::workload
