#include "vocabulary/operator_names.h"

#include <algorithm>
#include <iterator>
#include <sstream>

#include "base/suggest.h"

namespace edgenpu::vocabulary {

const std::vector<std::string>& operator_names() {
  static const std::vector<std::string> names = [] {
    const char* all =
        "token_embd attn_norm attn_qkv attn_q attn_k attn_v attn_q_norm attn_k_norm rope_q rope_k kv_write "
        "attention attn_output post_attention_norm attn_add ffn_norm ffn_gate ffn_up ffn_act ffn_down "
        "post_ffw_norm ffn_add attn_ffn_add ffn_gate_inp route ffn_gate_exps ffn_up_exps ffn_down_exps "
        "ffn_moe_sum ffn_gate_inp_shexp ffn_gate_shexp ffn_up_shexp ffn_act_shexp ffn_down_shexp "
        "ffn_shexp_add shortconv_in shortconv_state shortconv shortconv_out output_norm output sample";
    std::istringstream words(all);
    return std::vector<std::string>{std::istream_iterator<std::string>(words), {}};
  }();
  return names;
}

void check_operator_name(const std::string& name, const Position& where, Diagnostics& out) {
  std::string whole = name;
  for (const std::string& factor : {std::string(".factor_a"), std::string(".factor_b")})
    if (whole.size() > factor.size() && whole.substr(whole.size() - factor.size()) == factor)
      whole.resize(whole.size() - factor.size());
  const std::vector<std::string>& known = operator_names();
  if (std::find(known.begin(), known.end(), whole) != known.end()) return;
  out.add(where,
          "'" + name + "' is no operator of a step; there are: " + join(known) + did_you_mean(name, known));
}

}  // namespace edgenpu::vocabulary
