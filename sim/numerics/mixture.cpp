// The feed-forward of a mixture of experts.
#include <algorithm>
#include <cmath>

#include "numerics/functions.h"
#include "numerics/transformer.h"

namespace edgenpu::numerics {

namespace {

struct Choice {
  std::int64_t expert;
  float weight;
};

// The experts of largest probability, best first; among equals the one of smaller index.
std::vector<Choice> choose(const float* probabilities, const Architecture& a) {
  std::vector<Choice> all;
  // Weights that are not finite make probabilities NaN, which no order has a place for.
  for (std::int64_t e = 0; e < a.experts; ++e)
    all.push_back({e, std::isnan(probabilities[e]) ? -1.0f : probabilities[e]});
  std::stable_sort(all.begin(), all.end(),
                   [](const Choice& x, const Choice& y) { return x.weight > y.weight; });
  all.resize(static_cast<std::size_t>(a.active));
  if (!a.renormalise) return all;
  double sum = 0;
  for (const Choice& c : all) sum += static_cast<double>(c.weight);
  for (Choice& c : all) c.weight /= static_cast<float>(sum);
  return all;
}

// Token `i`'s choice of rank r stands at i * active + r, here and in the experts' results.
std::vector<Choice> route(const Architecture& a, const Arithmetic& arithmetic, Rows scores) {
  std::vector<Choice> choices;
  for (Eigen::Index i = 0; i < scores.rows(); ++i) {
    float* const row = scores.row(i).data();
    arithmetic.softmax(row, {0, a.experts, a.experts}, 1.0f);
    for (const Choice& c : choose(row, a)) choices.push_back(c);
  }
  return choices;
}

}  // namespace

// Each expert runs once over the tokens that chose it; a token adds its experts' results best first.
Rows Transformer::mixture(const Layer& layer, const Rows& x) const {
  const Architecture& a = model_.architecture;
  const std::vector<Choice> choices = route(a, arithmetic_, arithmetic_.multiply(layer.router, x));
  Rows results(x.rows() * a.active, x.cols());
  for (std::size_t e = 0; e < layer.experts.size(); ++e) {
    std::vector<Eigen::Index> slots;
    for (std::size_t s = 0; s < choices.size(); ++s)
      if (choices[s].expert == static_cast<std::int64_t>(e)) slots.push_back(static_cast<Eigen::Index>(s));
    if (slots.empty()) continue;
    Rows gathered(static_cast<Eigen::Index>(slots.size()), x.cols());
    for (Eigen::Index i = 0; i < gathered.rows(); ++i)
      gathered.row(i) = x.row(slots[static_cast<std::size_t>(i)] / a.active);
    const Expert& expert = layer.experts[e];
    const Rows y = gated(expert.gate, expert.up, expert.down, gathered);
    for (Eigen::Index i = 0; i < y.rows(); ++i) results.row(slots[static_cast<std::size_t>(i)]) = y.row(i);
  }
  Rows out(x.rows(), x.cols());
  for (Eigen::Index i = 0; i < x.rows(); ++i) {
    const Eigen::Index first = i * a.active;
    out.row(i) = results.row(first) * choices[static_cast<std::size_t>(first)].weight;
    for (Eigen::Index s = first + 1; s < first + a.active; ++s)
      out.row(i) += results.row(s) * choices[static_cast<std::size_t>(s)].weight;
  }
  if (a.shared_expert) add_shared_expert(layer, x, out);
  return out;
}

void Transformer::add_shared_expert(const Layer& layer, const Rows& x, Rows& out) const {
  const Rows gate = arithmetic_.multiply(layer.shared_gate, x);
  const Rows shared = gated(layer.shared.gate, layer.shared.up, layer.shared.down, x);
  for (Eigen::Index i = 0; i < x.rows(); ++i) {
    const float g = gate(i, 0);
    // The logistic function, as llama.cpp forms it.
    out.row(i) += shared.row(i) * (g == 0 ? 0.5f : numerics::silu(g) / g);
  }
}

}  // namespace edgenpu::numerics
