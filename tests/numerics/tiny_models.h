// The tiny models with llama.cpp's logits, as the tests use them.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "numerics/transformer.h"
#include "support/golden.h"

namespace edgenpu::test {

using numerics::Rows;

struct Tiny {
  const char* name;
  std::vector<std::int32_t> tokens;
};

inline const std::vector<Tiny>& tiny_models() {
  static const std::vector<Tiny> list = {
      {"tiny_llama", {1, 300, 17, 262, 411, 5, 98, 273, 350, 44, 266, 120, 333, 480, 259, 77}},
      {"tiny_qwen2", {1, 300, 17, 262, 311, 5, 98, 273, 250, 44, 266, 120, 303, 280, 259, 77}},
      {"tiny_moe", {1, 300, 17, 262, 311, 5, 98, 273, 250, 44, 266, 120, 303, 280, 259, 77}}};
  return list;
}

inline numerics::LoadedModel load_tiny(const std::string& name) {
  return numerics::LoadedModel(data_path("tiny_models/" + name + ".Q4_K_M.gguf"));
}

// "prefill", "floatref.decode", ...
inline Rows tiny_logits(const std::string& name, const std::string& which, Eigen::Index vocabulary) {
  const auto values = read_values<float>("tiny_models/logits/" + name + ".Q4_K_M." + which + ".f32.bin");
  return Eigen::Map<const Rows>(values.data(), static_cast<Eigen::Index>(values.size()) / vocabulary,
                                vocabulary);
}

// The tokens one at a time, then greedy steps.
inline Rows decode_greedily(numerics::Transformer& t, const std::vector<std::int32_t>& tokens, int steps) {
  const auto total = static_cast<Eigen::Index>(tokens.size()) + steps;
  Rows all(total, t.vocabulary());
  for (Eigen::Index i = 0; i < total; ++i) {
    const std::int32_t token = i < static_cast<Eigen::Index>(tokens.size())
                                   ? tokens[static_cast<std::size_t>(i)]
                                   : numerics::greedy(all, i - 1);
    all.row(i) = t.forward({token});
  }
  return all;
}

inline double largest_difference(const Rows& a, const Rows& b) {
  return (a - b).cwiseAbs().maxCoeff();
}

struct Agreement {
  int close = 0, same_choice = 0;  // positions with every logit within 1e-4; with the same argmax
  double largest = 0, rms = 0;
};

inline Agreement agreement(const Rows& a, const Rows& b) {
  Agreement g;
  for (Eigen::Index i = 0; i < a.rows(); ++i) {
    const double difference = (a.row(i) - b.row(i)).cwiseAbs().maxCoeff();
    g.close += difference < 1e-4 ? 1 : 0;
    g.same_choice += numerics::greedy(a, i) == numerics::greedy(b, i) ? 1 : 0;
    g.largest = std::max(g.largest, difference);
  }
  g.rms = std::sqrt((a - b).cast<double>().squaredNorm() / static_cast<double>(a.size()));
  return g;
}

}  // namespace edgenpu::test
