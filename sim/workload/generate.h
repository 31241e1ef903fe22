// Traces of a model's steps.
//
// Modelled: one forward pass with its true dependencies. Decode: one new token of each of `batch` requests,
// each with `context` tokens cached. Prefill: `prompt` new tokens of one request after `context` cached ones;
// the output norm, head and sampling see the last token only. A sliding-window layer reads min(context,
// window - 1) cached rows. Which operators a layer has and how large they are is read off its tensors (fused or
// separate projections, biases, norms, experts, factors). Left out: scalar factors and softcaps
// (element-wise, on data that another operator holds anyway), copies and reshapes, and whether context
// exceeds the model's max_position, which changes no shape.
//
// Experts: the number of distinct ones that a step's tokens choose is its expectation for uniform,
// independent choices, E (1 - (1 - k/E)^tokens), rounded to whole experts; the rows are spread over them
// evenly. Trained routers are close to uniform by their balancing loss; a skewed one reads fewer experts.
//
// Names are those of GGUF without ".weight": "blk.0.attn_q"; operators without a tensor are called blk.N.
// plus rope_q, rope_k, kv_write, attention, attn_add (residual), ffn_act, ffn_add (residual); attn_ffn_add
// where both run in parallel; route, ffn_moe_sum (adds the chosen experts' outputs), ffn_act_shexp and
// ffn_shexp_add (experts that every token uses); shortconv_in, shortconv_state, shortconv and shortconv_out
// (a short convolution); and "sample". Errors: InputError for an unknown quantisation, counts out of range, a
// KV format whose blocks do not fit a head, or a file whose tensors are missing or do not fit together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workload/mixture.h"
#include "workload/model.h"
#include "workload/trace.h"

namespace edgenpu::workload {

// What a transformation changes about a layer beside its tensors. Each is a share of 1.
struct LayerUse {
  std::int64_t heads = 0, kv_heads = 0;  // 0: as the model says
  double probability = 1;                // that a token needs the layer at all
  double neurons = 1;                    // of the feed-forward part that a token needs
  double tokens = 1;                     // of the cached and of the prompt's that the layer still sees
};

// A model with the type of each of its tensors, from a mixture or from a file.
struct StoredModel {
  Model model;
  std::string quant;  // as shown: "Q4_K_M"
  std::vector<StoredTensor> tensors;
  std::string source;          // the file it came from; "": a shape and a mixture
  std::vector<LayerUse> uses;  // [layer]; empty: every layer as the model says

  LayerUse use_of(std::int64_t layer) const;  // with the heads filled in
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

// Expected number of distinct experts that `tokens` choose, `active` of `experts` each.
double distinct_experts(std::int64_t experts, std::int64_t active, std::int64_t tokens);

// Share of something that a step of `tokens` touches if each needs it with `probability`.
double touched(double probability, std::int64_t tokens);

}  // namespace edgenpu::workload
