// Keys of a config.json that are modelled at one value only.
#include "workload/config_reader.h"

namespace edgenpu::workload {
namespace {

using T = ConfigType;

}  // namespace

void ConfigReader::refuse_flag(const char* key, const char* why) {
  k_.neutral(key, {"false", "0"}, why);
}

void ConfigReader::read_other_keys() {
  if (k_.has("attn_logit_softcapping")) m_.attn_softcap = k_.real("attn_logit_softcapping", 0);
  if (k_.has("final_logit_softcapping")) m_.final_softcap = k_.real("final_logit_softcapping", 0);
  refuse_flag("qk_layernorm", "norms of queries and keys are not modelled for this type");
  refuse_flag("use_post_attn_norm", "further norms are not modelled for this type");
  refuse_flag("add_bias_linear", "biases of all products are not modelled for this type");
  refuse_flag("add_cross_attention", "attention to an encoder is not modelled");
  refuse_flag("alibi", "biases of scores by distance are not modelled");
  refuse_flag("use_double_wide_mlp", "feed-forwards of two widths are not modelled");
  refuse_flag("attn_output_gate", "a gate of the attention's result is not modelled");
  k_.neutral("hidden_size_per_layer_input", {"0"}, "embeddings of layers are not modelled");
  k_.neutral("num_kv_shared_layers", {"0"}, "layers that share a cache are not read from a config.json");
  k_.neutral("cross_attention_hidden_size", {}, "attention to an encoder is not modelled");
  k_.neutral("use_bidirectional_attention", {"false", "vision"}, "attention to later tokens is not modelled");
  // Llama 4's norms of queries and keys have no weights.
  if (is("llama4_text"))
    k_.ignore("use_qk_norm");
  else
    k_.neutral("use_qk_norm", {has(T::head_norm) || has(T::full_norm) ? "true" : "false"},
               "is not what this type is modelled with");
  // Of Phi-4-mini: what they name is as elsewhere.
  for (const char* key : {"full_attn_mod", "interpolate_factor"}) k_.neutral(key, {"1"}, "is not modelled");
  refuse_other_biases();
  read_keys_of_types();
  // Read by config_quant.
  for (const char* key : {"quantization_config", "compression_config", "quantization"}) k_.ignore(key);
}

// Keys of biases that other types have.
void ConfigReader::refuse_other_biases() {
  const char* why = "is not modelled for this type";
  if (!has(T::bias_key) && !has(T::qkv_bias_key)) refuse_flag("attention_bias", why);
  if (!has(T::mlp_bias_key)) refuse_flag("mlp_bias", why);
  if (!has(T::use_bias_key)) refuse_flag("use_bias", why);
  if (!is("qwen2_moe") && !is("internlm3")) refuse_flag("qkv_bias", why);
  if (!is("internlm3")) refuse_flag("bias", why);
  if (!is("phimoe")) refuse_flag("lm_head_bias", why);
}

void ConfigReader::read_keys_of_types() {
  if (is("stablelm"))
    refuse_flag("use_parallel_residual", "attention beside the feed-forward is not modelled");
  if (is("gpt_neox")) k_.ignore("use_parallel_residual");  // one sum more or less a layer
  if (is("cohere")) k_.neutral("use_parallel_block", {"true"}, "is not modelled");
  if (is("cohere2")) k_.ignore("order_of_interleaved_layers");
  if (is("starcoder2")) {
    k_.neutral("norm_type", {"layer_norm"}, "is not modelled");
    k_.neutral("mlp_type", {"default"}, "is not modelled");
  }
  if (is("minimax_m2")) {
    k_.ignore("qk_norm_type");
    for (const std::int64_t kind : k_.counts("attn_type_list"))
      if (kind != 1) return k_.error("attn_type_list", "layers of linear attention are not modelled");
  }
  if (!is("chatglm")) return;
  k_.neutral("rmsnorm", {"true"}, "another norm than RMS is not modelled");
  k_.neutral("post_layer_norm", {"true"}, "no norm of the last layer is not modelled");
  k_.neutral("original_rope", {"true"}, "is not modelled");
  for (const char* key : {"pre_seq_len", "prefix_projection", "quantization_bit"})
    k_.neutral(key, {"false", "0"}, "is not modelled");
  k_.ignore("bias_dropout_fusion");
}

}  // namespace edgenpu::workload
