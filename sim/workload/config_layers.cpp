// What layers of a config.json differ in: windows, heads, experts, short convolutions.
#include <algorithm>
#include <fmt/format.h>

#include "base/suggest.h"
#include "workload/config_reader.h"

namespace edgenpu::workload {
namespace {

using T = ConfigType;
constexpr std::int64_t kMostPositions = 1 << 30, kMostExperts = 1024, kMostFfn = 1 << 20;

}  // namespace

// One word a layer; empty if the file has none.
std::vector<std::string> ConfigReader::layer_types() {
  const std::vector<std::string> types = k_.texts("layer_types");
  if (types.empty()) return {};
  if (static_cast<std::int64_t>(types.size()) != m_.layers) {
    k_.error("layer_types", fmt::format("has {} items for {} layers", types.size(), m_.layers));
    return {};
  }
  std::vector<std::string> known = {"full_attention", "attention"};
  if (has(T::windows) || has(T::window_flag)) known.emplace_back("sliding_attention");
  if (has(T::chunks)) known.emplace_back("chunked_attention");
  if (has(T::short_conv)) known.emplace_back("conv");
  for (const std::string& type : types)
    if (std::find(known.begin(), known.end(), type) == known.end()) {
      k_.error("layer_types",
               fmt::format("layers of the kind '{}' are not modelled for this type; allowed: {}", type,
                           join(known)));
      break;
    }
  return types;
}

void ConfigReader::set_window(std::int64_t size, const std::vector<std::int64_t>& global_layers) {
  const auto n = static_cast<std::int64_t>(global_layers.size());
  if (n == m_.layers) return;
  m_.window = SlidingWindow{size, 0};
  if (n == 0) return;
  // A rule where there is one: transformations and other readers know it.
  const std::int64_t every = global_layers.front() + 1;
  bool rule = n == m_.layers / every;
  for (std::int64_t i = 0; i < n; ++i)
    rule = rule && global_layers[static_cast<std::size_t>(i)] == (i + 1) * every - 1;
  if (rule)
    m_.window->global_every = every;
  else
    m_.window->global_layers = global_layers;
}

// Whether the layers' kinds say which of them have the window.
bool ConfigReader::read_layer_types(std::int64_t window) {
  if (layer_types_.empty()) return false;
  std::vector<std::int64_t> global;
  for (std::size_t i = 0; i < layer_types_.size(); ++i)
    if (layer_types_[i].find("sliding") == std::string::npos &&
        layer_types_[i].find("chunked") == std::string::npos)
      global.push_back(static_cast<std::int64_t>(i));
  if (window > 0) set_window(window, global);
  return true;
}

void ConfigReader::read_windows() {
  const T::Defaults& d = type_.defaults;
  if (!has(T::windows) && !has(T::window_flag) && !has(T::chunks)) {
    k_.neutral("use_sliding_window", {"false"}, "windows are not modelled for this type");
    k_.ignore("max_window_layers");
    if (!is("granitemoehybrid"))
      k_.neutral("sliding_window", {"0"}, "windows are not modelled for this type");
    return;
  }
  const char* key = has(T::chunks) ? "attention_chunk_size" : "sliding_window";
  // null says that there is none; a key that is missing leaves the class's own.
  const bool named = k_.names(key);
  std::int64_t size = k_.has(key) ? k_.count(key, kMostPositions) : named ? 0 : d.window;
  const std::int64_t first = has(T::window_flag) && k_.has("max_window_layers")
                                 ? k_.counted("max_window_layers", m_.layers * 100)
                                 : 28;
  if (has(T::window_flag) && !k_.flag("use_sliding_window", false)) size = 0;
  std::int64_t every = d.global_every;
  const std::string pattern = k_.first({"sliding_window_pattern", "_sliding_window_pattern"});
  if (!pattern.empty()) every = k_.counted(pattern, 512);
  if (has(T::chunks) && size > 0) m_.stand_in = stand_in_of_chunks(size);
  // A window that no position is beyond.
  if (size >= m_.max_position) size = 0;
  if (size == 0 && !k_.names("layer_types")) return;
  if (read_layer_types(size)) return;
  if (size == 0) return;
  if (has(T::window_flag)) {
    // Layers from the one that `max_window_layers` names on have it.
    std::vector<std::int64_t> global;
    for (std::int64_t i = 0; i < std::min(first, m_.layers); ++i) global.push_back(i);
    return set_window(size, global);
  }
  std::vector<std::int64_t> global;
  for (std::int64_t i = every; every > 0 && i <= m_.layers; i += every) global.push_back(i - 1);
  set_window(size, global);
}

void ConfigReader::read_global_heads() {
  if (!has(T::global_heads)) return;
  GlobalHeads heads;
  heads.keys_are_values = k_.flag("attention_k_eq_v", false);
  heads.head_dim = k_.count("global_head_dim", 512, 512);
  const bool named = k_.has("num_global_key_value_heads");
  heads.kv_heads = named ? k_.count("num_global_key_value_heads", 512) : m_.kv_heads;
  k_.ignore("vocab_size_per_layer_input");
  k_.neutral("expert_intermediate_size", {}, "is not modelled");
  if (m_.window) m_.global_heads = heads;
}

void ConfigReader::read_short_conv() {
  if (!has(T::short_conv)) return;
  ShortConv conv;
  std::vector<std::int64_t> attend = k_.counts("full_attn_idxs");
  for (std::size_t i = 0; i < layer_types_.size(); ++i)
    if (layer_types_[i] != "conv") conv.attention_layers.push_back(static_cast<std::int64_t>(i));
  if (layer_types_.empty()) {
    std::sort(attend.begin(), attend.end());
    conv.attention_layers = attend;
  }
  if (conv.attention_layers.empty() || conv.attention_layers.back() >= m_.layers)
    k_.error("layer_types",
             "is missing, and 'full_attn_idxs' names no layers of the model: which layers attend?");
  k_.neutral("conv_L_cache", {"3"}, "convolutions of another length than 3 are not modelled");
  k_.neutral("conv_bias", {"false"}, "biases of convolutions are not modelled");
  for (const char* key : {"block_mlp_init_scale", "block_norm_eps", "block_out_init_scale",
                          "block_use_swiglu", "block_use_xavier_init", "conv_use_xavier_init", "theta"})
    k_.ignore(key);
  const std::string width_of_stream = std::to_string(m_.hidden);
  for (const char* key : {"block_dim", "conv_dim", "conv_dim_out"})
    k_.neutral(key, {width_of_stream.c_str()},
               "convolutions of another width than the model's are not modelled");
  m_.short_conv = conv;
  if (is("lfm2_moe")) return;
  const std::string ffn = k_.first({"block_ff_dim", "intermediate_size"});
  std::int64_t width = k_.count(ffn.empty() ? "block_ff_dim" : ffn, kMostFfn, type_.defaults.ffn);
  const double factor = k_.real("block_ffn_dim_multiplier", 1);
  const std::int64_t block = k_.count("block_multiple_of", kMostFfn, 256);
  if (k_.flag("block_auto_adjust_ff_dim", true)) {
    width = static_cast<std::int64_t>(factor * static_cast<double>(2 * width / 3));
    width = (width + block - 1) / block * block;
  }
  m_.ffn = width;
}

// Layers without experts among those with them.
std::vector<std::int64_t> ConfigReader::dense_layers() {
  const std::string first_key =
      k_.first({"first_k_dense_replace", "num_dense_layers", "moe_layer_start_index"});
  const std::int64_t first = first_key.empty() ? 0 : k_.counted(first_key, m_.layers);
  const std::string step_key =
      k_.first({"decoder_sparse_step", "interleave_moe_layer_step", "moe_layer_interval", "moe_layer_freq"});
  const std::int64_t step = step_key.empty() ? 1 : k_.count(step_key, 512);
  // DeepSeek counts from the first layer, the others have the last of each group.
  const std::int64_t late = step_key == "moe_layer_freq" ? 0 : 1;
  const bool end_named = k_.has("moe_layer_end_index");
  // -1: the last.
  const bool last = !end_named || k_.text("moe_layer_end_index", "") == "-1";
  const std::int64_t end = last ? m_.layers : k_.counted("moe_layer_end_index", 1 << 20) + 1;
  const std::vector<std::int64_t> listed = k_.counts("mlp_only_layers"), sparse = k_.counts("moe_layers");
  const bool sparse_named = k_.has("moe_layers");
  std::vector<std::int64_t> dense;
  for (std::int64_t i = 0; i < m_.layers; ++i) {
    const auto in = [i](const std::vector<std::int64_t>& list) {
      return std::find(list.begin(), list.end(), i) != list.end();
    };
    if (i < first || i >= end || (i + late) % step != 0 || in(listed) || (sparse_named && !in(sparse)))
      dense.push_back(i);
  }
  return dense;
}

void ConfigReader::read_shared_experts(MixtureOfExperts& moe) {
  const std::string width = k_.first({"shared_expert_intermediate_size", "shared_intermediate_size"});
  const std::string number =
      k_.first({"n_shared_experts", "num_shared_experts", "num_shared_expert", "moe_num_shared_experts"});
  if (!width.empty()) moe.shared_ffn = k_.counted(width, kMostFfn);
  if (!number.empty()) moe.shared_ffn = moe.expert_ffn * k_.counted(number, 64);
  if (is("qwen2_moe") && width.empty()) moe.shared_ffn = 5632;
  if (is("glm4_moe") && number.empty()) moe.shared_ffn = moe.expert_ffn;
  if (is("llama4_text")) moe.shared_ffn = moe.expert_ffn;
  moe.shared_gate = is("qwen2_moe");
}

// Granite 4.0 without Mamba layers: the feed-forward is what its relatives with experts share.
void ConfigReader::read_hybrid() {
  m_.ffn = k_.count("shared_intermediate_size", kMostFfn, m_.ffn);
  if (layer_types_.empty())
    k_.error("layer_types", "is missing: without it all layers are Mamba's, which are not modelled");
  for (const char* key :
       {"mamba_chunk_size", "mamba_conv_bias", "mamba_d_conv", "mamba_d_head", "mamba_d_state",
        "mamba_expand", "mamba_n_groups", "mamba_n_heads", "mamba_proj_bias"})
    k_.ignore(key);
}

void ConfigReader::read_experts() {
  if (!has(T::experts) && !has(T::may_have_experts)) return;
  const bool enabled = k_.flag("enable_moe_block", true);
  const std::string all =
      k_.first({"num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts"});
  if (has(T::may_have_experts) && (!enabled || all.empty() || k_.counted(all, kMostExperts) == 0)) {
    for (const char* key : {"num_experts_per_tok", "top_k_experts", "moe_intermediate_size"}) k_.ignore(key);
    if (is("granitemoehybrid")) read_hybrid();
    return;
  }
  // Classes whose experts are all of `intermediate_size`: they know no other size.
  const bool one_size =
      is("mixtral") || is("phimoe") || is("gpt_oss") || is("granitemoe") || is("minimax_m2");
  MixtureOfExperts moe;
  moe.experts = k_.count(all.empty() ? one_size ? "num_local_experts" : "num_experts" : all, kMostExperts);
  const std::string chosen =
      k_.first({"num_experts_per_tok", "experts_per_token", "moe_topk", "moe_k", "top_k_experts"});
  moe.active = k_.count(chosen.empty() ? "num_experts_per_tok" : chosen, kMostExperts);
  // In Llama 4 and in mixtures whose layers are all alike, `intermediate_size` is the experts'.
  moe.expert_ffn = one_size ? m_.ffn : k_.count("moe_intermediate_size", kMostFfn, m_.ffn);
  if (is("llama4_text")) m_.ffn = k_.count("intermediate_size_mlp", kMostFfn, 16384);
  moe.renormalise_topk = k_.flag("norm_topk_prob", true);
  moe.biased = is("gpt_oss");
  m_.attn_sinks = has(T::sinks);
  if (has(T::wide_shared))
    moe.shared_ffn = m_.ffn;
  else
    read_shared_experts(moe);
  moe.dense_layers = dense_layers();
  if (moe.active > moe.experts && !all.empty())
    k_.error(chosen.empty() ? "num_experts_per_tok" : chosen,
             fmt::format("{} experts are chosen among {}", moe.active, moe.experts));
  if (static_cast<std::int64_t>(moe.dense_layers.size()) < m_.layers) m_.moe = moe;
}

}  // namespace edgenpu::workload
