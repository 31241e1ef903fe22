// placement.cpu: what runs on the chip's CPU, and what it changes in a program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "base/error.h"
#include "lowering/assign.h"
#include "lowering/layout.h"
#include "lowering/lower.h"
#include "lowering/memory_map.h"
#include "lowering/sample_model.h"
#include "lowering/sample_npu.h"

namespace edgenpu::lowering {
namespace {

using test::sample_npu;
using test::sample_trace;
using ::testing::HasSubstr;
using workload::RunsOn;
using workload::Trace;

config::Npu placing(const std::vector<std::string>& patterns) {
  config::Npu npu = sample_npu();
  config::Cores c;
  c.cores = 4;
  c.clock = Hertz(1'000'000'000);
  c.lanes = 4;
  c.handover = Femtoseconds(5'000'000'000);
  c.line = Bytes(64);
  c.outstanding = 8;
  c.latency = Femtoseconds(100'000'000);
  npu.cores = c;
  for (const std::string& pattern : patterns) npu.placed.push_back({pattern, Position{"npu.yaml", 20, 9}});
  return npu;
}

Trace prompt(std::int64_t tokens) {
  return workload::generate_prefill(test::sample_model(), "Q4_K_M", tokens, 0, vocabulary::Format::F16);
}

// Commands of each unit, of the operators that a pattern names.
std::map<Unit, int> commands_of(const Program& p, const Trace& t, const std::string& pattern) {
  std::map<Unit, int> found;
  for (const Command& c : p.commands)
    if (named_by(pattern, t.operators[static_cast<std::size_t>(activity::index(c.op))])) ++found[c.unit];
  return found;
}

std::int64_t moved(const Program& p) {
  std::int64_t bytes = 0;
  for (const Command& c : p.commands)
    if (c.unit == Unit::load || c.unit == Unit::store)
      bytes += p.transfers[static_cast<std::size_t>(c.work)].total().count();
  return bytes;
}

std::string refusal(const std::vector<std::string>& patterns) {
  try {
    lower(sample_trace(1, 10), placing(patterns));
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(Placement, OfNothingIsTheSameProgram) {
  const Trace t = sample_trace(2, 100);
  const Program none = lower(t, sample_npu()), empty = lower(t, placing({}));
  EXPECT_TRUE(empty.cores.empty());
  ASSERT_EQ(none.commands.size(), empty.commands.size());
  EXPECT_EQ(none.dependencies.size(), empty.dependencies.size());
  EXPECT_EQ(none.scratchpad_ring, empty.scratchpad_ring);
}

TEST(Placement, MovesTheNamedFunctionsAndNoByteOfADecodeStep) {
  const Trace t = sample_trace(2, 100);
  const Program own = lower(t, sample_npu()), placed = lower(t, placing({"attn_norm", "blk.1.rope_q"}));
  EXPECT_EQ(commands_of(placed, t, "attn_norm")[Unit::vector], 0);
  EXPECT_EQ(commands_of(placed, t, "attn_norm")[Unit::cores], 2);
  EXPECT_EQ(commands_of(placed, t, "blk.1.rope_q")[Unit::cores], 1);
  EXPECT_EQ(commands_of(placed, t, "blk.0.rope_q")[Unit::cores], 0);
  EXPECT_EQ(moved(placed), moved(own));
}

TEST(Placement, CountsTheFunctionsOperationsAndTheRoundingOfWhatFollows) {
  // 256 elements: norm 2, quantise 2; 256 fp32 and as many weights are read, fp32 is written.
  const Program p = lower(sample_trace(1, 10), placing({"attn_norm"}));
  ASSERT_EQ(p.cores.size(), 1U);
  EXPECT_EQ(p.cores[0].operations, 256 * (2 + 2));
  EXPECT_EQ(p.cores[0].read, Bytes(2 * 1024));
  EXPECT_EQ(p.cores[0].written, Bytes(1024));
}

TEST(Placement, TakesTheCoresOwnOperationsWhereTheyAreGiven) {
  config::Npu npu = placing({"attn_norm"});
  npu.cores->operations[vocabulary::VectorFunction::rms_norm] = 7;
  EXPECT_EQ(lower(sample_trace(1, 10), npu).cores[0].operations, 256 * (7 + 2));
}

TEST(Placement, OfSoftmaxLeavesTheProductsOfAttentionOnTheEngines) {
  const Trace t = sample_trace(1, 100);
  auto found = commands_of(lower(t, placing({"softmax"})), t, "attention");
  EXPECT_GT(found[Unit::matrix], 0);
  EXPECT_GT(found[Unit::cores], 0);
  EXPECT_EQ(found[Unit::vector], 0);
  found = commands_of(lower(t, placing({"attention"})), t, "attention");
  EXPECT_EQ(found[Unit::matrix], 0);
  EXPECT_EQ(found[Unit::vector], 0);
}

TEST(Placement, HandsCommandsOfOneOperatorOverTogether) {
  const Trace t = sample_trace(2, 3000);
  const Program p = lower(t, placing({"softmax"}));
  int opens = 0, closes = 0;
  for (const CoresWork& w : p.cores) {
    opens += w.opens;
    closes += w.closes;
  }
  EXPECT_GT(p.cores.size(), 8U);
  EXPECT_EQ(opens, 2);
  EXPECT_EQ(closes, 2);
}

TEST(Placement, OfAProductTakesALaneOperationAProductAndDecodesItsWeights) {
  const Trace t = sample_trace(1, 10);
  const Program p = lower(t, placing({"attn_output"}));
  std::int64_t products = 0, operations = 0, read = 0;
  for (const CoresWork& w : p.cores) {
    products += w.products;
    operations += w.operations;
    read += w.read.count();
  }
  EXPECT_EQ(products, 256 * 256);
  EXPECT_EQ(operations, 256 * 256 * (1 + 2));
  // Its weights once, and its input of 256 fp32 for each command.
  EXPECT_EQ(read, 256 * 144 + static_cast<std::int64_t>(p.cores.size()) * 1024);
  EXPECT_EQ(commands_of(p, t, "attn_output")[Unit::matrix], 0);
}

TEST(Placement, OfAProductNeedsNoDecoderAndNoMultiplierOfTheEngines) {
  config::Npu npu = placing({"attn_v", "output"});
  npu.matrix.decode.erase("Q6_K");
  npu.matrix.rate.erase(vocabulary::Operands::int8);
  EXPECT_FALSE(lower(sample_trace(1, 10), npu).cores.empty());
}

TEST(Placement, UndoesTheFusionOfAPlacedOperatorOnly) {
  const Trace t = assigned(prompt(64), placing({"blk.1.ffn_act", "blk.0.rope_q", "blk.0.ffn_norm"}));
  const Consumers consumers = consumers_of(t);
  const config::Fusion all;
  for (int op = 0; op < static_cast<int>(t.operators.size()); ++op) {
    const std::string& name = t.operators[static_cast<std::size_t>(op)].name;
    const int next = follower(t, consumers, op, all);
    if (name == "blk.1.ffn_gate" || name == "blk.1.ffn_up" || name == "blk.0.attn_q") {
      EXPECT_EQ(next, -1) << name;
    }
    if (name == "blk.0.ffn_gate" || name == "blk.0.ffn_up" || name == "blk.1.attn_q" ||
        name == "blk.0.attn_k") {
      EXPECT_GE(next, 0) << name;
    }
    if (name == "blk.0.attn_add") {
      EXPECT_EQ(norm_after(t, op, all), -1);
    }
    if (name == "blk.1.attn_add") {
      EXPECT_EQ(norm_after(t, op, all), op + 1);
    }
  }
}

TEST(Placement, ReadsLogitsThatWereSpilledPieceByPiece) {
  config::Npu npu = placing({"sample"});
  for (const vocabulary::FormatInfo& f : vocabulary::all_formats()) npu.matrix.decode[f.name] = 256;
  npu.scratchpad.size = Bytes(64 * 1024);
  workload::Model model = test::sample_model();
  model.vocab = 32'768;  // a row of logits is twice the scratchpad
  const Trace t = workload::generate_prefill(model, "Q4_K_M", 256, 0, vocabulary::Format::F16);
  const Program p = lower(t, npu);
  EXPECT_GT(p.cores.size(), 8U);
  std::int64_t elements = 0;
  for (const CoresWork& w : p.cores) elements += w.read.count() / 4;
  EXPECT_EQ(elements, 32'768);
}

TEST(Placement, MovesTheBytesThatItsLayoutPlans) {
  std::uint64_t seed = 11;
  const auto random = [&seed](std::int64_t low, std::int64_t high) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return low + static_cast<std::int64_t>(seed >> 33) % (high - low + 1);
  };
  const std::vector<std::string> names = {"*_norm", "rope_*",     "softmax",  "attention", "ffn_act",
                                          "*_add",  "ffn_gate",   "ffn_down", "attn_q",    "output",
                                          "sample", "token_embd", "blk.1.*"};
  for (int round = 0; round < 40; ++round) {
    std::vector<std::string> patterns;
    for (const std::string& name : names)
      if (random(0, 2) == 0) patterns.push_back(name);
    config::Npu npu = placing(patterns);
    for (const vocabulary::FormatInfo& f : vocabulary::all_formats()) npu.matrix.decode[f.name] = 256;
    npu.scratchpad.size = Bytes(random(96, 512) * 1024);
    npu.tile = Bytes(random(2, 32) * 1024);
    const Trace t = assigned(prompt(random(2, 300)), npu);
    SCOPED_TRACE(::testing::PrintToString(patterns) + ::testing::PrintToString(t.tokens));
    const Layout layout =
        choose_layout(t, npu, map_memory(t, npu.memory, npu.kv_page).end, wishes_of(t, npu));
    const Program p = lower(t, npu);
    EXPECT_EQ(moved(p), traffic_of(layout, t, npu).count());
    std::int64_t done = 0;
    for (const Command& c : p.commands)
      if (c.unit == Unit::matrix) done += products(p, p.matrix[static_cast<std::size_t>(c.work)]);
    for (const CoresWork& w : p.cores) done += w.products;
    EXPECT_EQ(done, workload::total_macs(t).count());
  }
}

TEST(Placement, OfAnUnknownOperatorIsRefusedWithTheNearestName) {
  EXPECT_THAT(refusal({"atn_norm"}), HasSubstr("npu.yaml:20:9: placement.cpu has 'atn_norm'"));
  EXPECT_THAT(refusal({"atn_norm"}), HasSubstr("did you mean 'attn_norm'?"));
  EXPECT_THAT(refusal({"sofmax"}), HasSubstr("did you mean 'softmax'?"));
  EXPECT_EQ(refusal({"softmax", "blk.0.softmax"}), "");
}

TEST(Placement, OfWhatOnlyMovesDataIsRefused) {
  EXPECT_THAT(refusal({"kv_write"}), HasSubstr("which only moves data here; nothing of it runs on cores"));
}

}  // namespace
}  // namespace edgenpu::lowering
