// Files that are good GGUF but not a model that can be run.
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "numerics/run.h"
#include "numerics/weights.h"
#include "support/gguf_image.h"
#include "support/golden.h"

namespace edgenpu::numerics {
namespace {

using test::GgufImage;
using ::testing::HasSubstr;

struct Parts {
  std::string arch = "llama";
  std::uint32_t layers = 1, heads = 2, kv_heads = 1, rope = 16;
  std::string drop;  // a tensor that is left out
  std::vector<std::uint64_t> ffn_up = {32, 48};
  std::string extra;  // a tensor more
};

GgufImage image(const Parts& p) {
  struct T {
    std::string name;
    std::vector<std::uint64_t> dims;
  };
  std::vector<T> tensors = {{"token_embd.weight", {32, 10}},        {"output_norm.weight", {32}},
                            {"blk.0.attn_norm.weight", {32}},       {"blk.0.attn_q.weight", {32, 32}},
                            {"blk.0.attn_k.weight", {32, 16}},      {"blk.0.attn_v.weight", {32, 16}},
                            {"blk.0.attn_output.weight", {32, 32}}, {"blk.0.ffn_norm.weight", {32}},
                            {"blk.0.ffn_gate.weight", {32, 48}},    {"blk.0.ffn_up.weight", p.ffn_up},
                            {"blk.0.ffn_down.weight", {48, 32}}};
  tensors.erase(std::remove_if(tensors.begin(), tensors.end(), [&](const T& t) { return t.name == p.drop; }),
                tensors.end());
  if (!p.extra.empty()) tensors.push_back({p.extra, {32}});
  GgufImage g;
  g.header(tensors.size(), 7).pair_text("general.architecture", p.arch);
  g.pair_u32(p.arch + ".block_count", p.layers).pair_u32(p.arch + ".embedding_length", 32);
  g.pair_u32(p.arch + ".attention.head_count", p.heads)
      .pair_u32(p.arch + ".attention.head_count_kv", p.kv_heads);
  g.pair_f32(p.arch + ".attention.layer_norm_rms_epsilon", 1e-5f)
      .pair_u32(p.arch + ".rope.dimension_count", p.rope);
  std::uint64_t offset = 0;
  for (const T& t : tensors) {
    g.tensor(t.name, t.dims, 0, offset);
    offset += 4 * t.dims[0] * (t.dims.size() > 1 ? t.dims[1] : 1);
  }
  return g.align().zeros(offset);
}

std::string outcome(const Parts& p) {
  const GgufImage g = image(p);
  try {
    const auto file = workload::GgufFile::view(g.bytes().data(), g.bytes().size(), "m.gguf");
    load_weights(file, read_architecture(file));
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

std::string outcome(const std::function<void(Parts&)>& change) {
  Parts p;
  change(p);
  return outcome(p);
}

TEST(ModelRefusal, TakesTheWholeModel) {
  EXPECT_EQ(outcome(Parts{}), "accepted");
}

TEST(ModelRefusal, NamesAnUnknownArchitectureTheKnownOnesAndTheNearest) {
  const std::string message = outcome([](Parts& p) { p.arch = "lama"; });
  EXPECT_THAT(message, HasSubstr("'lama' is not known; known: llama, qwen2"));
  EXPECT_THAT(message, HasSubstr("did you mean 'llama'?"));
}

TEST(ModelRefusal, NamesAMissingTensor) {
  EXPECT_EQ(outcome([](Parts& p) { p.drop = "blk.0.attn_k.weight"; }),
            "m.gguf: tensor 'blk.0.attn_k.weight': is missing, but architecture 'llama' needs it");
  EXPECT_THAT(outcome([](Parts& p) { p.layers = 2; }), HasSubstr("'blk.1.attn_norm.weight': is missing"));
}

TEST(ModelRefusal, NamesATensorOfAnotherShape) {
  EXPECT_EQ(outcome([](Parts& p) {
              p.ffn_up = {32, 47};
            }),
            "m.gguf: tensor 'blk.0.ffn_up.weight': has shape [32, 47]; [32, 48] is expected");
  EXPECT_THAT(outcome([](Parts& p) { p.kv_heads = 2; }),
              HasSubstr("has shape [32, 16]; [32, 32] is expected"));
}

TEST(ModelRefusal, NamesATensorThatNothingUses) {
  EXPECT_THAT(outcome([](Parts& p) { p.extra = "blk.0.attn_q_norm.weight"; }),
              HasSubstr("architecture 'llama' does not use it"));
}

TEST(ModelRefusal, NamesAHeadCountThatDoesNotFit) {
  EXPECT_THAT(outcome([](Parts& p) { p.heads = 3; }), HasSubstr("3 does not divide the width 32"));
  EXPECT_THAT(outcome([](Parts& p) { p.heads = 4, p.kv_heads = 3; }),
              HasSubstr("4 heads cannot share 3 KV heads evenly"));
  EXPECT_THAT(outcome([](Parts& p) { p.heads = 0; }), HasSubstr("head_count': 0; 1 to"));
  EXPECT_THAT(outcome([](Parts& p) { p.rope = 18; }), HasSubstr("18; 1 to 16 are allowed"));
  EXPECT_THAT(outcome([](Parts& p) { p.rope = 15; }), HasSubstr("15 is odd"));
}

NumericsRequest request() {
  NumericsRequest r;
  r.gguf = test::data_path("tiny_models/tiny_llama.Q4_K_M.gguf");
  r.tokens = {1, 2};
  return r;
}

TEST(RunRefusal, NamesATokenOutsideTheVocabulary) {
  NumericsRequest r = request();
  for (const std::int32_t bad : {-1, 512}) {
    r.tokens[1] = bad;
    try {
      run_numerics(r);
      FAIL();
    } catch (const InputError& e) {
      EXPECT_THAT(e.what(), HasSubstr("token 1: " + std::to_string(bad) + "; the vocabulary has 0 to 511"));
    }
  }
}

TEST(RunRefusal, NeedsTokensAndGreedyStepsOnlyInDecode) {
  NumericsRequest r = request();
  r.tokens.clear();
  EXPECT_THROW(run_numerics(r), InputError);
  r = request();
  r.greedy_steps = 2;
  EXPECT_THROW(run_numerics(r), InputError);
}

TEST(QuantisersOnATensor, NameAMissingTensorAndTheNearest) {
  const std::string gguf = request().gguf;
  EXPECT_THAT(compare_quantisers_on(gguf, "blk.0.attn_q.weight"), HasSubstr("equalised of 128"));
  try {
    compare_quantisers_on(gguf, "blk.0.attn_q.weigth");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr("did you mean 'blk.0.attn_q.weight'?"));
  }
}

}  // namespace
}  // namespace edgenpu::numerics
