// Steps of many tokens: weights once, spills counted apart, products by shape.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "lowering/first_fit.h"
#include "lowering/layout.h"
#include "lowering/lower.h"
#include "lowering/memory_map.h"
#include "lowering/sample_model.h"
#include "lowering/sample_npu.h"

namespace edgenpu::lowering {
namespace {

using test::sample_model;
using test::sample_npu;
using testing::ElementsAre;
using testing::HasSubstr;
using vocabulary::Format;
using workload::Model;
using workload::Trace;

// What the DMA moves, operator by operator.
struct Moved {
  std::vector<std::int64_t> once, again, written, spilled;
};

Moved moved(const Program& p) {
  const std::vector<std::int64_t> zeros(static_cast<std::size_t>(p.operators), 0);
  Moved m{zeros, zeros, zeros, zeros};
  for (const Command& c : p.commands) {
    if (c.unit != Unit::load && c.unit != Unit::store) continue;
    const Transfer& t = p.transfers[static_cast<std::size_t>(c.work)];
    const bool load = c.unit == Unit::load;
    std::vector<std::int64_t>& to = load ? (t.purpose == Purpose::again ? m.again : m.once)
                                         : (t.purpose == Purpose::spill ? m.spilled : m.written);
    to[static_cast<std::size_t>(activity::index(c.op))] += t.bytes.count() * t.count;
  }
  return m;
}

std::int64_t sum(const std::vector<std::int64_t>& values) {
  std::int64_t total = 0;
  for (const std::int64_t v : values) total += v;
  return total;
}

// Every byte of the trace exactly once, every product exactly once, every dependency on an earlier command.
void expect_faithful(const Trace& trace, const Program& p) {
  const Moved m = moved(p);
  std::vector<std::int64_t> done(trace.operators.size(), 0);
  for (const Command& c : p.commands)
    if (c.unit == Unit::matrix)
      done[static_cast<std::size_t>(activity::index(c.op))] +=
          products(p, p.matrix[static_cast<std::size_t>(c.work)]);
  for (std::size_t i = 0; i < trace.operators.size(); ++i) {
    const workload::OperatorBody& body = trace.operators[i].body;
    EXPECT_EQ(m.once[i], (workload::weight_bytes(body) + workload::kv_read_bytes(body)).count())
        << trace.operators[i].name;
    EXPECT_EQ(m.written[i], workload::kv_write_bytes(body).count()) << trace.operators[i].name;
    EXPECT_EQ(done[i], workload::macs(body).count()) << trace.operators[i].name;
  }
  for (std::size_t i = 0; i < p.commands.size(); ++i)
    for (int d = 0; d < p.commands[i].dependencies; ++d)
      EXPECT_LT(p.dependencies[static_cast<std::size_t>(p.commands[i].first_dependency + d)].command,
                static_cast<int>(i));
}

// What the plans of products say that they read is what their commands read.
void expect_planned_bytes(const Trace& trace, const config::Npu& npu, const Program& p) {
  const Layout layout =
      choose_layout(trace, npu, map_memory(trace, npu.memory, npu.kv_page).end, wishes_of(trace, npu));
  const Moved m = moved(p);
  EXPECT_EQ(traffic_of(layout, trace, npu).count(),
            sum(m.once) + sum(m.again) + sum(m.written) + sum(m.spilled));
  for (const PlannedProduct& planned : layout.products)
    for (const int op : planned.operators) {
      std::int64_t once = 0, again = 0;
      for (const int part : products_with(trace, layout, op)) {
        once += m.once[static_cast<std::size_t>(part)];
        again += m.again[static_cast<std::size_t>(part)];
      }
      EXPECT_EQ(once, planned.choice.plan.cost.once.count()) << planned.product.name;
      EXPECT_EQ(again, planned.choice.plan.cost.again.count()) << planned.product.name;
      EXPECT_LE(planned.division.fixed + planned.choice.plan.cost.scratchpad(), npu.scratchpad.size);
    }
}

TEST(TiledLowering, ReadsWeightsOnceAndDoesEachProductOnceWhateverTheShapes) {
  std::uint64_t seed = 5;
  const auto random = [&seed](std::int64_t low, std::int64_t high) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return low + static_cast<std::int64_t>(seed >> 33) % (high - low + 1);
  };
  for (int round = 0; round < 60; ++round) {
    config::Npu npu = sample_npu();
    for (const vocabulary::FormatInfo& f : vocabulary::all_formats()) npu.matrix.decode[f.name] = 256;
    npu.scratchpad.size = Bytes(random(64, 512) * 1024);
    npu.tile = Bytes(random(2, 32) * 1024);
    npu.fusion = {random(0, 1) == 1, random(0, 1) == 1, random(0, 1) == 1};
    npu.double_buffering = random(0, 1) == 1;
    npu.kv_page = random(0, 2) * 16;
    Model model = sample_model();
    model.kv_heads = std::int64_t{1} << random(0, 3);
    model.qkv_bias = random(0, 1) == 1;
    model.attn_output_bias = model.ffn_bias = model.head_bias = model.qkv_bias;
    model.fused_qkv = random(0, 1) == 1;
    model.fused_gate_up = random(0, 1) == 1;
    if (random(0, 1) == 1) model.window = workload::SlidingWindow{random(1, 300), 2};
    const Format kv = random(0, 1) == 1 ? Format::F16 : Format::Q8_0;
    const Trace trace = random(0, 1) == 1
                            ? workload::generate_prefill(model, "Q4_K_M", random(1, 600), random(0, 200), kv)
                            : workload::generate_decode(model, "Q8_0", random(0, 400), random(1, 64), kv);
    npu.memory.capacity = Bytes(std::int64_t{1} << 32);
    SCOPED_TRACE(round);
    const Program p = lower(trace, npu);
    expect_faithful(trace, p);
    expect_planned_bytes(trace, npu, p);
  }
}

// By hand, each function fused alone: what no longer goes to DRAM and back.
TEST(TiledLowering, FusionSavesTheBytesOfItsPlaces) {
  config::Npu npu = sample_npu();
  const Model model = sample_model();
  const std::int64_t tokens = 1000;
  const Trace trace = workload::generate_prefill(model, "Q4_K_M", tokens);
  const auto bytes = [&](const config::Fusion& fusion) {
    npu.fusion = fusion;
    const Moved m = moved(lower(trace, npu));
    return std::pair{sum(m.spilled), sum(m.again)};
  };
  const auto none = bytes({false, false, false}), rope = bytes({false, true, false}),
             norm = bytes({false, false, true});
  std::int64_t turned = 0, normed = 0;
  for (int op = 0; op < static_cast<int>(trace.operators.size()); ++op) {
    const auto& body = trace.operators[static_cast<std::size_t>(op)].body;
    if (const auto* r = std::get_if<workload::Rope>(&body)) turned += tokens * r->heads * r->head_dim * 4;
    if (sum_before(trace, op, {true, true, true}) >= 0)
      normed += tokens * std::get<workload::Norm>(body).width * 4;
  }
  EXPECT_GT(turned, 0);
  EXPECT_GT(normed, 0);
  EXPECT_EQ(none.first - rope.first, turned) << "fp32 queries and keys are not written";
  EXPECT_EQ(none.second - rope.second, turned) << "nor read";
  EXPECT_EQ(none.first, norm.first) << "the sum is still needed";
  EXPECT_EQ(none.second - norm.second, normed) << "but not read by its norm";
}

TEST(TiledLowering, ReadsBackAtLeastWhatItSpills) {
  const Trace trace = workload::generate_prefill(sample_model(), "Q4_K_M", 1000);
  const Program p = lower(trace, sample_npu());
  const Moved m = moved(p);
  EXPECT_GT(sum(m.spilled), 0);
  EXPECT_GE(sum(m.again), sum(m.spilled));
  EXPECT_GT(p.spill, Bytes(0));
}

TEST(TiledLowering, SpillsNothingWhereEverythingFits) {
  config::Npu npu = sample_npu();
  npu.scratchpad.size = Bytes(64 * 1024 * 1024);
  const Moved m = moved(lower(workload::generate_prefill(sample_model(), "Q4_K_M", 1000), npu));
  EXPECT_EQ(sum(m.spilled), 0);
  EXPECT_EQ(sum(m.again), 0);
}

// 16 requests of Llama-3.1-8B fit 2 MiB: places are shared and activations follow their products.
TEST(TiledLowering, KeepsABatchOfSixteenOnTheChip) {
  config::Npu npu = sample_npu();
  npu.scratchpad.size = Bytes(2 * 1024 * 1024);
  npu.memory.capacity = Bytes(std::int64_t{16} << 30);
  npu.matrix.decode["F32"] = 256;
  const Model model = workload::find_model("llama-3.1-8b", EDGENPU_SOURCE_DIR);
  const Trace trace = workload::generate_decode(model, "Q4_K_M", 64, 16);
  const Moved m = moved(lower(trace, npu));
  EXPECT_EQ(sum(m.spilled), 0);
  EXPECT_EQ(sum(m.again), 0);
  EXPECT_EQ(sum(m.once), workload::requested_read(trace).count());
}

TEST(TiledLowering, RefetchesLessWithMoreScratchpad) {
  const Trace trace = workload::generate_prefill(sample_model(), "Q4_K_M", 800);
  std::int64_t before = INT64_MAX;
  for (const std::int64_t kib : {128, 256, 512, 1024, 4096, 65536}) {
    config::Npu npu = sample_npu();
    npu.scratchpad.size = Bytes(kib * 1024);
    const std::int64_t again = sum(moved(lower(trace, npu)).again);
    EXPECT_LE(again, before) << kib << " KiB";
    before = again;
  }
  EXPECT_EQ(before, 0);
}

TEST(TiledLowering, RefusesAScratchpadTooSmallForTwoRowsAndNamesTheOperatorAndTheBytes) {
  config::Npu npu = sample_npu();
  npu.scratchpad.size = Bytes(8 * 1024);
  try {
    lower(workload::generate_prefill(sample_model(), "Q4_K_M", 64), npu);
    FAIL() << "must be refused";
  } catch (const InfeasibleError& e) {
    EXPECT_THAT(e.what(),
                HasSubstr("token_embd: the activations of sample (64 tokens) do not fit the scratchpad"));
    EXPECT_THAT(e.what(),
                HasSubstr("1024 B of results a row, 2048 B for loads and 1024 B for results of 8192 B"));
  }
}

TEST(TiledLowering, RefusesAMemoryWithoutRoomForTheSpilledActivations) {
  config::Npu npu = sample_npu();
  const Trace trace = workload::generate_prefill(sample_model(), "Q4_K_M", 1000);
  npu.memory.capacity = trace.resident_weights + trace.resident_kv + Bytes(100'000);
  try {
    lower(trace, npu);
    FAIL() << "must be refused";
  } catch (const InfeasibleError& e) {
    EXPECT_THAT(e.what(), HasSubstr("of activations that do not fit the scratchpad do not fit the memory"));
  }
}

TEST(Band, CountsWhatCausalityAndTheWindowLeave) {
  // Queries at positions 2 and 3 of five keys.
  EXPECT_EQ((Band{2, 1, 2, 5, 0}.visible()), 3 + 4);
  EXPECT_EQ((Band{2, 1, 2, 5, 2}.visible()), 2 + 2);
  EXPECT_EQ((Band{2, 1, -3, 5, 0}.visible()), 0) << "all keys are newer";
  EXPECT_EQ((Band{1, 1, 9, 5, 3}.visible()), 0) << "all keys are older than the window";
  EXPECT_EQ((Band{3, 4, 10, 4, 0}.visible()), 12) << "the mask leaves everything";
}

TEST(FirstFit, TakesOverPlacesOfValuesThatNobodyReadsAnyMore) {
  FirstFit fit(100, 10);
  EXPECT_EQ(fit.place(0, 40, 0, 1)->address, 0);
  EXPECT_EQ(fit.place(1, 35, 1, 3)->address, 40);
  const auto third = fit.place(2, 30, 2, 3);
  EXPECT_EQ(third->address, 0);
  EXPECT_THAT(third->displaced, ElementsAre(0));
  EXPECT_FALSE(fit.place(3, 60, 3, 4)) << "two are still read";
  const auto last = fit.place(3, 100, 4, 5);
  EXPECT_EQ(last->address, 0);
  EXPECT_THAT(last->displaced, testing::UnorderedElementsAre(0, 1, 2));
}

}  // namespace
}  // namespace edgenpu::lowering
