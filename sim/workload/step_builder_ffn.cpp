// The feed-forward part of a layer: dense, or experts.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/rates.h"
#include "workload/step_builder.h"

namespace edgenpu::workload {

int StepBuilder::ffn(int input) {
  if (!has("ffn_gate_inp")) return dense(input, "");
  const int chosen = experts(input);
  if (!has_product("ffn_up_shexp")) return chosen;
  const int shared = dense(input, "_shexp");
  if (!has("ffn_gate_inp_shexp")) return sum("ffn_shexp_add", chosen, shared);
  const int weight = product("ffn_gate_inp_shexp", {input}, {rows_}, model_.hidden);
  return add("ffn_shexp_add", {chosen, shared, weight}, Add{rows_, model_.hidden});
}

// Neurons whose weights the step reads, in whole blocks of the down projection, whose columns they are.
std::int64_t StepBuilder::neurons(const std::string& down) {
  const StoredTensor& t = tensor(down + (has(down + ".factor_a") ? ".factor_a.weight" : ".weight"));
  const double share = touched(use_.neurons, rows_);
  const std::int64_t block = info(t.format).block_elements;
  const auto wanted = static_cast<std::int64_t>(std::ceil(static_cast<double>(t.tensor.row) * share - 1e-9));
  return std::min(t.tensor.row, ceil_div(std::max<std::int64_t>(1, wanted), block) * block);
}

int StepBuilder::dense(int input, const std::string& suffix) {
  const std::string gate = "ffn_gate" + suffix, up = "ffn_up" + suffix, down = "ffn_down" + suffix;
  const std::int64_t width =
      tensor(down + (has(down + ".factor_a") ? ".factor_a.weight" : ".weight")).tensor.row;
  const bool separate = has_product(gate);
  const std::int64_t rows = outputs(up);
  const bool fused = !separate && rows == 2 * width;
  expect(rows == width || fused, up + ".weight",
         fmt::format("has {} rows; {} takes {} inputs", rows, down, width));
  std::vector<int> halves;
  if (separate) halves.push_back(matmul(gate, {input}, {rows_}, model_.hidden));
  halves.push_back(matmul(up, {input}, {rows_}, model_.hidden));
  const std::int64_t used = neurons(down);
  for (const int half : halves) {
    auto& m = std::get<MatMul>(operators_[static_cast<std::size_t>(half)].body);
    m.n = m.n * used / width;
    m.bias_bytes = Bytes(m.bias_bytes.count() * used / width);
  }
  const int active =
      add("ffn_act" + suffix, halves, Activation{model_.activation, rows_, used, separate || fused});
  const int result = matmul(down, {active}, {rows_}, width);
  if (used < width) {
    const int reader = has(down + ".factor_a") ? result - 1 : result;
    auto& m = std::get<MatMul>(operators_[static_cast<std::size_t>(reader)].body);
    const std::int64_t block = info(m.format).block_elements;
    if (m.inputs != 0) m.inputs = used;
    m.k = std::min(used, ceil_div(m.k * used / width, block) * block);
  }
  return result;
}

// The distinct experts that the rows choose, each for its share of them.
int StepBuilder::experts(int input) {
  const MixtureOfExperts& moe = *model_.moe;
  expect(moe.active >= 1 && moe.active <= moe.experts, "ffn_gate_inp.weight",
         fmt::format("routes to {} of {} experts", moe.active, moe.experts));
  const int scores = matmul("ffn_gate_inp", {input}, {rows_}, model_.hidden);
  // What some routers add before they choose.
  const Bytes offsets = vector_bytes("exp_probs_b.bias");
  std::get<MatMul>(operators_.back().body).bias_bytes += offsets;
  const int route = add("route", {scores}, Route{rows_, moe.experts, moe.active});
  const double expected = distinct_experts(moe.experts, moe.active, rows_);
  Rows rows{0, std::max(moe.active, static_cast<std::int64_t>(std::lround(expected)))};
  const std::int64_t all = rows_ * moe.active;
  rows.m = all / rows.copies;
  rows.extra = all % rows.copies;
  const std::int64_t width = tensor("ffn_down_exps.weight").tensor.row;
  for (const char* stem : {"ffn_gate_exps.weight", "ffn_up_exps.weight", "ffn_down_exps.weight"})
    expect(
        tensor(stem).tensor.matrices == moe.experts, stem,
        fmt::format("has {} matrices; the model has {} experts", tensor(stem).tensor.matrices, moe.experts));
  const int gate = product("ffn_gate_exps", {input, route}, rows, model_.hidden);
  const int up = product("ffn_up_exps", {input, route}, rows, model_.hidden);
  for (const char* stem : {"ffn_gate_exps", "ffn_up_exps"})
    expect(outputs(stem) == width, std::string(stem) + ".weight",
           fmt::format("has {} rows; ffn_down_exps takes {} inputs", outputs(stem), width));
  const int active = add("ffn_act", {gate, up}, Activation{model_.activation, all, width, true});
  const int down = product("ffn_down_exps", {active, route}, rows, width);
  return add("ffn_moe_sum", {down, route}, Combine{rows_, moe.active, model_.hidden});
}

}  // namespace edgenpu::workload
