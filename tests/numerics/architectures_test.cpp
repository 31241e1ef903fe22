// Architectures for which there is no file with llama.cpp's logits: float arithmetic against a float64
// forward pass written apart from it.
#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.h"
#include "numerics/run.h"
#include "numerics/synthetic_model.h"

namespace edgenpu::numerics {
namespace {

using test::Synthetic;
using test::SyntheticModel;

const std::vector<std::int32_t> kTokens = {3, 17, 0, 39, 8, 21, 21, 5, 30, 11, 2, 27};

struct Case {
  std::string name;
  Synthetic shape;
  std::vector<std::pair<std::string, double>> extra;
};

std::vector<Case> cases() {
  std::vector<Case> list;
  const auto add = [&](const std::string& name, const std::string& arch, auto change,
                       std::vector<std::pair<std::string, double>> extra = {}) {
    Case c{name, {}, std::move(extra)};
    c.shape.arch = arch;
    change(c.shape);
    list.push_back(c);
  };
  add("llama_with_frequency_factors", "llama", [](Synthetic& s) { s.rope_factors = true; });
  add("llama_with_linear_scaling", "llama", [](Synthetic& s) { s.rope_scale = 0.25; },
      {{"rope.scaling.factor", 4}});
  add("mixtral", "llama", [](Synthetic& s) { s.experts = 6, s.active = 2, s.renormalise = true; });
  add("qwen2", "qwen2", [](Synthetic& s) { s.halves = s.qkv_bias = s.tied = true; });
  add("qwen2moe", "qwen2moe",
      [](Synthetic& s) { s.halves = s.qkv_bias = true, s.experts = 5, s.active = 3, s.shared_ffn = 40; });
  add("qwen3", "qwen3",
      [](Synthetic& s) { s.halves = s.head_norms = s.tied = true, s.head_dim = 24, s.rope_dims = 24; });
  add("qwen3moe", "qwen3moe",
      [](Synthetic& s) { s.halves = s.head_norms = s.renormalise = true, s.experts = 8, s.active = 2; });
  add("olmoe", "olmoe", [](Synthetic& s) { s.halves = s.full_norms = true, s.experts = 8, s.active = 3; });
  const auto phi2 = [](Synthetic& s) {
    s.layer_norm = s.halves = s.gelu = s.parallel = s.bias = s.qkv_bias = true;
    s.gated = false, s.rope_dims = 8, s.kv_heads = 4;
  };
  add("phi2", "phi2", phi2);
  add("phi2_with_fused_qkv", "phi2", [&](Synthetic& s) { phi2(s), s.fused_qkv = true; });
  add("phi3", "phi3", [](Synthetic& s) { s.halves = s.fused_qkv = s.fused_gate = true, s.kv_heads = 4; });
  add("phi3_with_window_and_attention_factor", "phi3",
      [](Synthetic& s) { s.halves = s.fused_qkv = s.fused_gate = true, s.window = 4, s.magnitude = 1.19; },
      {{"rope.scaling.attn_factor", 1.19}});
  add("gemma", "gemma", [](Synthetic& s) { s.halves = s.gelu = s.tied = true, s.embedding_scale = 8; });
  add("gemma2", "gemma2",
      [](Synthetic& s) {
        s.halves = s.gelu = s.tied = s.post_norms = true, s.embedding_scale = 8, s.layers = 3;
        s.window = 5, s.global_every = 2, s.score_cap = 2, s.logit_cap = 3;
      },
      {{"attn_logit_softcapping", 2}, {"final_logit_softcapping", 3}});
  add("gemma3", "gemma3",
      [](Synthetic& s) {
        s.halves = s.gelu = s.tied = s.post_norms = s.head_norms = true, s.embedding_scale = 8, s.layers = 7;
        s.window = 4, s.global_every = 6, s.theta = 1e6, s.rope_scale = 0.125;
      },
      {{"rope.scaling.factor", 8}});
  return list;
}

class Architectures : public ::testing::TestWithParam<Case> {
 protected:
  std::string write() const {
    const std::string path = (std::filesystem::temp_directory_path() /
                              ("edgenpu_" + GetParam().name + "_" + std::to_string(::getpid()) + ".gguf"))
                                 .string();
    SyntheticModel(GetParam().shape).write(path, GetParam().extra);
    return path;
  }
};

INSTANTIATE_TEST_SUITE_P(All, Architectures, ::testing::ValuesIn(cases()),
                         [](const auto& i) { return i.param.name; });

TEST_P(Architectures, GiveTheLogitsOfTheirDefinition) {
  NumericsRequest request;
  request.gguf = write();
  request.tokens = kTokens;
  request.compare = false;
  const auto expected = SyntheticModel(GetParam().shape).forward(kTokens);
  for (const RunMode mode : {RunMode::prefill, RunMode::decode}) {
    request.mode = mode;
    const NumericsResult found = run_numerics(request);
    ASSERT_EQ(found.logits.size(), kTokens.size() * 40);
    double largest = 0;
    for (std::size_t i = 0; i < found.logits.size(); ++i)
      largest = std::max(largest, std::fabs(found.logits[i] - expected[i / 40][i % 40]));
    EXPECT_LT(largest, 1e-4);
  }
  std::filesystem::remove(request.gguf);
}

}  // namespace
}  // namespace edgenpu::numerics
