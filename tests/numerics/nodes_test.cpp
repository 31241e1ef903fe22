// Single operators on llama.cpp's own inputs: every node of the prefill graph is computed from the nodes
// before it and compared with what llama.cpp computed.
#include <gtest/gtest.h>
#include <map>

#include "numerics/functions.h"
#include "numerics/tiny_models.h"

namespace edgenpu::numerics {
namespace {

using namespace edgenpu::test;

// The dumped nodes by "name/OP", the first of a name and operator, or the second with "#2". Rows of ne0.
std::map<std::string, Rows> read_nodes(const std::string& model) {
  const std::string stem = "tiny_models/logits/" + model + ".Q4_K_M.nodes.";
  const auto values = read_values<float>(stem + "f32.bin");
  std::map<std::string, Rows> nodes;
  for (const auto& c : read_csv(stem + "csv")) {
    const long columns = std::stol(c[2]), rows = std::stol(c[3]) * std::stol(c[4]) * std::stol(c[5]);
    std::string key = c[0] + "/" + c[1];
    if (nodes.count(key)) key += "#2";
    nodes[key] = Eigen::Map<const Rows>(values.data() + std::stol(c[6]) / 4, rows, columns);
  }
  return nodes;
}

class Operators : public ::testing::TestWithParam<Tiny> {
 protected:
  void SetUp() override {
    model_ = std::make_unique<LoadedModel>(load_tiny(GetParam().name));
    arithmetic_ = make_ggml_arithmetic();
    nodes_ = read_nodes(GetParam().name);
  }
  void TearDown() override {
    for (const auto& [op, c] : counts_)
      RecordProperty(op, std::to_string(c.equal) + " of " + std::to_string(c.all) +
                             " bit-equal, largest relative " + std::to_string(c.largest));
  }

  const Rows& node(const std::string& key) const { return nodes_.at(key); }
  Rows node(const std::string& key, Eigen::Index rows, Eigen::Index columns) const {
    return Eigen::Map<const Rows>(nodes_.at(key).data(), rows, columns);
  }
  Rows product(const Matrix& w, const Rows& x) const { return arithmetic_->multiply(w, x); }

  // Each element within 1e-5 of the node's largest.
  void expect(const std::string& key, const Rows& found) {
    const Rows expected = node(key, found.rows(), found.cols());
    const double scale = expected.cwiseAbs().maxCoeff();
    const double difference = largest_difference(found, expected) / scale;
    EXPECT_LT(difference, 1e-5) << key;
    Count& c = counts_[key.substr(key.find('/') + 1)];
    c.all += found.size();
    c.equal += (found.array() == expected.array()).count();
    c.largest = std::max(c.largest, difference);
    ++compared_;
  }
  void expect_norms(const std::string& i, const std::string& mark, const std::string& name, const Rows& x,
                    const NormWeights& w);
  void expect_attention(std::int64_t i);
  void expect_feed_forward(std::int64_t i);
  void expect_mixture(std::int64_t i);

  struct Count {
    long all = 0, equal = 0;
    double largest = 0;
  };
  std::unique_ptr<LoadedModel> model_;
  std::unique_ptr<Arithmetic> arithmetic_;
  std::map<std::string, Rows> nodes_;
  std::map<std::string, Count> counts_;
  int compared_ = 0;
};

INSTANTIATE_TEST_SUITE_P(All, Operators, ::testing::ValuesIn(tiny_models()),
                         [](const auto& i) { return i.param.name; });

void Operators::expect_norms(const std::string& i, const std::string& mark, const std::string& name,
                             const Rows& x, const NormWeights& w) {
  const float eps = model_->architecture.norm_eps;
  Rows plain = x, scaled = x;
  normalise(NormKind::rms, {Vector(w.scale.size(), 1.0f), {}}, eps, plain);
  expect("norm" + i + "/RMS_NORM" + mark, plain);
  normalise(NormKind::rms, w, eps, scaled);
  expect((i.empty() ? "result_norm" : name + i) + "/MUL", scaled);
}

void Operators::expect_attention(std::int64_t index) {
  const Architecture& a = model_->architecture;
  const Layer& layer = model_->weights.layers[static_cast<std::size_t>(index)];
  const std::string i = "-" + std::to_string(index);
  const Rows normed = node("attn_norm" + i + "/MUL");
  const std::int64_t group = a.heads / a.kv_heads;
  for (const auto& [name, l] :
       {std::pair("Qcur", &layer.q), std::pair("Kcur", &layer.k), std::pair("Vcur", &layer.v)}) {
    expect(name + i + "/MUL_MAT", product(l->weight, normed));
    std::string last = name + i + "/MUL_MAT";
    Rows x = node(last);
    if (!l->bias.empty()) {
      last = name + i + "/ADD";
      x.rowwise() += Eigen::Map<const Eigen::RowVectorXf>(l->bias.data(), x.cols());
      expect(last, x);
    }
    if (name == std::string("Vcur")) continue;
    Rows turned = node(last);
    rotate(a.rope, false, {}, 0, a.head_dim, turned);
    expect(name + i + "/ROPE", turned);
  }
  const Rows q = node("Qcur" + i + "/ROPE", 16, a.heads * a.head_dim),
             k = node("Kcur" + i + "/ROPE", 16, a.kv_heads * a.head_dim);
  KvCache cache(a, Format::F16);
  cache.append(index, k, node("Vcur" + i + (layer.v.bias.empty() ? "/MUL_MAT" : "/ADD")));
  Rows scores = Rows::Zero(a.heads * 16, 32), weights = scores, mixed(a.heads * 16, a.head_dim),
       merged(16, a.heads * a.head_dim);
  for (std::int64_t h = 0; h < a.heads; ++h) {
    scores.block(h * 16, 0, 16, 16) =
        arithmetic_->scores(cache.keys(index, h / group), q.middleCols(h * a.head_dim, a.head_dim));
    mixed.middleRows(h * 16, 16) = arithmetic_->mix(
        cache.values(index, h / group), node("kq_soft_max_ext" + i + "/SOFT_MAX").block(h * 16, 0, 16, 16));
    merged.middleCols(h * a.head_dim, a.head_dim) = node("kqv" + i + "/MUL_MAT").middleRows(h * 16, 16);
  }
  expect("kq" + i + "/MUL_MAT", scores);
  for (Eigen::Index row = 0; row < weights.rows(); ++row) {
    weights.row(row) = node("kq" + i + "/MUL_MAT").row(row);
    arithmetic_->softmax(weights.row(row).data(), {0, row % 16 + 1, 32}, a.score_scale);
    weights.row(row).tail(31 - row % 16).setZero();
  }
  expect("kq_soft_max_ext" + i + "/SOFT_MAX", weights);
  expect("kqv" + i + "/MUL_MAT", mixed);
  expect("kqv_merged_cont" + i + "/CONT", merged);
  expect("kqv_out" + i + "/MUL_MAT", product(layer.output.weight, merged));
}

void Operators::expect_feed_forward(std::int64_t index) {
  const Layer& layer = model_->weights.layers[static_cast<std::size_t>(index)];
  const std::string i = "-" + std::to_string(index);
  const Rows normed = node("ffn_norm" + i + "/MUL");
  expect("ffn_gate" + i + "/MUL_MAT", product(layer.gate.weight, normed));
  expect("ffn_up" + i + "/MUL_MAT", product(layer.up.weight, normed));
  expect("ffn_silu" + i + "/SILU",
         node("ffn_gate" + i + "/MUL_MAT").unaryExpr([this](float x) { return arithmetic_->silu(x); }));
  expect("ffn_gate_par" + i + "/MUL",
         node("ffn_silu" + i + "/SILU").cwiseProduct(node("ffn_up" + i + "/MUL_MAT")));
  expect("ffn_out" + i + "/MUL_MAT", product(layer.down.weight, node("ffn_gate_par" + i + "/MUL")));
  expect("l_out" + i + "/ADD", node("ffn_out" + i + "/MUL_MAT") + node("ffn_inp" + i + "/ADD"));
}

// The chosen experts are those of the two largest probabilities.
void Operators::expect_mixture(std::int64_t index) {
  const Layer& layer = model_->weights.layers[static_cast<std::size_t>(index)];
  const std::string i = "-" + std::to_string(index);
  const Rows normed = node("ffn_norm" + i + "/MUL");
  expect("ffn_moe_logits" + i + "/MUL_MAT", product(layer.router, normed));
  Rows probabilities = node("ffn_moe_logits" + i + "/MUL_MAT");
  for (Eigen::Index t = 0; t < 16; ++t) arithmetic_->softmax(probabilities.row(t).data(), {0, 8, 8}, 1.0f);
  expect("ffn_moe_probs" + i + "/SOFT_MAX", probabilities);
  Rows up(32, 256), gate(32, 256), down(32, 256);
  for (Eigen::Index t = 0; t < 16; ++t) {
    Rows p = node("ffn_moe_probs" + i + "/SOFT_MAX").row(t);
    for (Eigen::Index rank = 0; rank < 2; ++rank) {
      const auto e = static_cast<std::size_t>(greedy(p, 0));
      p(0, static_cast<Eigen::Index>(e)) = 0;
      up.row(2 * t + rank) = product(layer.experts[e].up, normed.row(t));
      gate.row(2 * t + rank) = product(layer.experts[e].gate, normed.row(t));
      down.row(2 * t + rank) =
          product(layer.experts[e].down, node("ffn_moe_gate_par" + i + "/MUL").row(2 * t + rank));
    }
  }
  expect("ffn_moe_up" + i + "/MUL_MAT_ID", up);
  expect("ffn_moe_gate" + i + "/MUL_MAT_ID", gate);
  expect("ffn_moe_down" + i + "/MUL_MAT_ID", down);
  expect("ffn_moe_silu" + i + "/SILU", node("ffn_moe_gate" + i + "/MUL_MAT_ID").unaryExpr([this](float x) {
    return arithmetic_->silu(x);
  }));
  const Rows weights = node("ffn_moe_weights_norm" + i + "/DIV", 32, 1);
  const Rows out = node("ffn_moe_down" + i + "/MUL_MAT_ID").array().colwise() * weights.col(0).array();
  Rows sums(16, 256);
  for (Eigen::Index t = 0; t < 16; ++t) sums.row(t) = out.row(2 * t) + out.row(2 * t + 1);
  expect("ffn_moe_out" + i + "/ADD", sums);
  expect("l_out" + i + "/ADD", node("ffn_moe_out" + i + "/ADD") + node("ffn_inp" + i + "/ADD"));
}

TEST_P(Operators, AgreeWithLlamaCppNodeByNodeWithin1e5AndBitForBit) {
  const Matrix& table = model_->weights.embedding;
  Rows embedded(16, table.columns);
  for (Eigen::Index t = 0; t < 16; ++t)
    decode(table.format, table.row(GetParam().tokens[static_cast<std::size_t>(t)]), table.columns,
           embedded.row(t).data());
  expect("inp_embd/GET_ROWS", embedded);
  Rows x = node("inp_embd/GET_ROWS");
  for (std::int64_t n = 0; n < model_->architecture.layers; ++n) {
    const Layer& layer = model_->weights.layers[static_cast<std::size_t>(n)];
    const std::string i = "-" + std::to_string(n);
    expect_norms(i, "", "attn_norm", x, layer.attn_norm);
    expect_attention(n);
    expect("ffn_inp" + i + "/ADD", node("kqv_out" + i + "/MUL_MAT") + x);
    expect_norms(i, "#2", "ffn_norm", node("ffn_inp" + i + "/ADD"), layer.ffn_norm);
    if (layer.experts.empty()) {
      expect_feed_forward(n);
    } else {
      expect_mixture(n);
    }
    x = node("l_out" + i + "/ADD");
  }
  expect_norms("", "", "result_norm", x, model_->weights.output_norm);
  expect("result_output/MUL_MAT", product(model_->weights.head.weight, node("result_norm/MUL")));
  EXPECT_GE(compared_, 20 * model_->architecture.layers);
  for (const auto& [op, c] : counts_) EXPECT_EQ(c.equal, c.all) << op << " is not equal bit for bit";
}

}  // namespace
}  // namespace edgenpu::numerics
