// Every leaf of model descriptions and transformations, changed: the trace must change, or the reader must refuse.
#include "support/leaves.h"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iostream>

#include "workload/generate.h"
#include "workload/support.h"
#include "workload/trace_file.h"
#include "workload/transform.h"

namespace edgenpu::workload {
namespace {

using config::Value;
using ::testing::IsEmpty;

std::string steps_of(const StoredModel& model) {
  // Prefill beyond any window, and a decode step whose batch meets few experts.
  const Trace decode = generate_decode(model, 5000, 3), prefill = generate_prefill(model, 9, 2000);
  std::string text = write_trace(decode) + write_trace(prefill) + std::to_string(decode.positions);
  const std::string name = model.model.name;  // stands in every header
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at))
    text.erase(at, name.size());
  return text;
}

std::string steps_of_shape(const Value& tree) {
  const Model model = read_model(tree);
  return steps_of(store(model, "Q4_K_M")) + steps_of(store(model, "Q8_0"));
}

// What answers to numbers and not to cost (docs/models.md): rotation, eps and caps. They are held against GGUF files
// and published configurations.
bool is_of_numbers(const std::string& path) {
  for (const char* start :
       {"source", "name", "hf_id", "gguf_arch", "norm_eps", "attn_softcap", "final_softcap", "rope.theta",
        "rope.pairing", "rope.scaling", "moe.renormalise_topk"})
    if (path.rfind(start, 0) == 0) return true;
  return path.find(".source") != std::string::npos;
}

class Shapes : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(All, Shapes,
                         ::testing::Values("smollm2-135m", "gemma-3-270m", "granite-3.1-1b-a400m", "gpt-2",
                                           "olmo-2-1b", "pythia-160m", "phi-3-mini-4k"));

TEST_P(Shapes, HaveNoLeafThatChangesNothing) {
  const Value tree = config::parse_file(kDataDir + "/models/" + GetParam() + ".yaml");
  // The width beside experts is of dense layers, which this mixture has none of.
  const bool mixture = tree.find("moe") != nullptr;
  const test::Tally tally = test::change_leaves(tree, {steps_of_shape}, [mixture](const std::string& path) {
    return is_of_numbers(path) || (mixture && path == "ffn");
  });
  std::cout << tally.text(GetParam()) << std::endl;
  EXPECT_GT(tally.results, 10);
  EXPECT_THAT(tally.dead, IsEmpty());
}

TEST_P(Shapes, HaveNoKeyThatMayBeMisspeltAndNoNumberThatMayBeASection) {
  const Value tree = config::parse_file(kDataDir + "/models/" + GetParam() + ".yaml");
  const test::Probe read = [](const Value& v) { return read_model(v).name; };
  const auto is_source = [](const std::string& path) { return path.find("source") != std::string::npos; };
  EXPECT_THAT(test::misspell_keys(tree, read, is_source), IsEmpty());
  EXPECT_THAT(test::misplace_values(tree, read, is_source), IsEmpty());
}

TEST(Transformations, HaveNoLeafThatChangesNothing) {
  const StoredModel model = store(find_model("llama-3.1-8b", kDataDir), "Q4_K_M");
  const test::Probe transformed = [&](const Value& v) { return steps_of(transform(model, v)); };
  const auto is_text = [](const std::string& path) {
    return path == "name" || path == "source" || path == "description";
  };
  for (const auto& entry : std::filesystem::directory_iterator(kDataDir + "/models/transformations")) {
    const Value tree = config::parse_file(entry.path().string());
    const test::Tally tally = test::change_leaves(tree, {transformed}, is_text);
    std::cout << tally.text(entry.path().stem().string()) << std::endl;
    EXPECT_GT(tally.results + tally.errors, 0);
    EXPECT_THAT(tally.dead, IsEmpty());
    // Without a kind no other key has a meaning.
    const auto is_kind = [&](const std::string& path) {
      return is_text(path) || path.find(".kind") != std::string::npos;
    };
    EXPECT_THAT(test::misspell_keys(tree, transformed, is_kind), IsEmpty());
    EXPECT_THAT(test::misplace_values(tree, transformed, is_text), IsEmpty());
  }
}

// Keys that hang on another one.
TEST(Shapes, RefuseKeysWithoutTheOneThatTheyHangOn) {
  const std::string shape =
      "{name: toy, gguf_arch: llama, source: assumed, layers: 2, hidden: 256, ffn: 512, vocab: 512, "
      "max_position: 4096, "
      "tied_embeddings: false, heads: 4, kv_heads: 2, head_dim: 64, fused_qkv: false, qkv_bias: false, "
      "qk_norm: none, "
      "activation: silu, gated_ffn: true, fused_gate_up: false, parallel_attn_ffn: false, other_bias: false, "
      "norm: rms, "
      "norm_eps: 1e-05, norms_per_layer: 2, ";
  const auto error = [&](const std::string& more) -> std::string {
    try {
      read_model(config::parse_text(shape + more + "}", "toy.yaml"));
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  const std::string rope = "rope: {pairing: norm, dim: 64, theta: 10000}";
  EXPECT_EQ(error(rope), "");
  EXPECT_EQ(error(rope + ", sliding_window: {size: 512, global_every: 2}"), "");
  EXPECT_THAT(
      error("rope: {pairing: norm, dim: 64, theta: 10000, theta_local: 5000}"),
      ::testing::HasSubstr("'theta_local': is of layers with a window, and there is no 'sliding_window'"));
  EXPECT_THAT(error(rope + ", sliding_window: {size: 512, global_every: 1}"),
              ::testing::HasSubstr("'global_every': 1 leaves no layer with a window"));
}

}  // namespace
}  // namespace edgenpu::workload
