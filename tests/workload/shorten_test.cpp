// Layers that repeat others are left out, and each operator keeps one that stands for it.
#include "workload/shorten.h"

#include <gmock/gmock.h>
#include <set>

#include "workload/generate.h"

namespace edgenpu::workload {
namespace {

Trace trace_of(const std::string& model, std::int64_t context = 1024) {
  return generate_decode(find_model(model, EDGENPU_SOURCE_DIR), "Q4_K_M", context);
}

std::int64_t layers(const Trace& t) {
  std::set<int> all;
  for (const Operator& op : t.operators) all.insert(op.layer);
  return static_cast<std::int64_t>(all.size()) - 1;  // without -1
}

std::string bytes_of(const Operator& op) {
  return std::string(kind_name(op.body)) + " " + std::to_string(weight_bytes(op.body).count()) + " " +
         std::to_string(kv_read_bytes(op.body).count()) + " " + std::to_string(macs(op.body).count());
}

constexpr Bytes kFar{std::int64_t{1} << 50}, kNear{2 << 20};

TEST(Shorten, LeavesTenOfLlamas32LayersToNeighboursThatSeeFar) {
  // Q4_K_M gives some layers more bits: BBBB AAB AAB ... AAB BBBB. Ten hold every layer with its neighbours.
  const Trace full = trace_of("llama-3.1-8b");
  const ShortTrace s = shorten(full, kFar);
  EXPECT_EQ(layers(full), 32);
  EXPECT_EQ(layers(s.trace), 10);
}

TEST(Shorten, LeavesSixWhereNeighboursSeeTwoMebibytes) {
  // The layer before differs in its ffn_down, the one after begins with attn_q, the same in both kinds: first
  // B, B after B, A after B, A after A, B after A, last B after B.
  EXPECT_EQ(layers(shorten(trace_of("llama-3.1-8b"), kNear).trace), 6);
}

TEST(Shorten, LeavesThreeOfEqualLayers) {
  const Trace full = generate_decode(find_model("tinyllama-1.1b", EDGENPU_SOURCE_DIR), "Q8_0", 100);
  EXPECT_EQ(layers(shorten(full, kNear).trace), 3);
}

TEST(Shorten, LetsEachOperatorBeStoodForByOneOfItsShape) {
  for (const char* model : {"llama-3.1-8b", "gemma-3-4b", "olmoe-1b-7b", "phi-2", "qwen3-0.6b"}) {
    const Trace full = trace_of(model, 5000);
    const ShortTrace s = shorten(full, kNear);
    ASSERT_EQ(s.stands_for.size(), full.operators.size());
    for (std::size_t i = 0; i < full.operators.size(); ++i)
      EXPECT_EQ(bytes_of(s.trace.operators[static_cast<std::size_t>(s.stands_for[i])]),
                bytes_of(full.operators[i]))
          << model << " " << full.operators[i].name;
  }
}

TEST(Shorten, KeepsWhatEachOperatorNeeds) {
  const Trace full = trace_of("gemma-3-4b", 5000);
  const ShortTrace s = shorten(full, kNear);
  for (std::size_t i = 0; i < full.operators.size(); ++i) {
    const Operator& original = full.operators[i];
    const Operator& kept = s.trace.operators[static_cast<std::size_t>(s.stands_for[i])];
    ASSERT_EQ(kept.needs.size(), original.needs.size()) << original.name;
    for (std::size_t n = 0; n < kept.needs.size(); ++n) {
      EXPECT_LT(kept.needs[n], s.stands_for[i]);
      EXPECT_EQ(bytes_of(s.trace.operators[static_cast<std::size_t>(kept.needs[n])]),
                bytes_of(full.operators[static_cast<std::size_t>(original.needs[n])]))
          << original.name;
    }
  }
}

TEST(Shorten, KeepsWhatMustFitTheMemory) {
  const Trace full = trace_of("llama-3.1-8b");
  const ShortTrace s = shorten(full, kNear);
  EXPECT_EQ(s.trace.resident_weights, full.resident_weights);
  EXPECT_EQ(s.trace.resident_kv, full.resident_kv);
}

TEST(Shorten, LeavesATraceWithoutLayersAlone) {
  Trace t;
  t.operators.push_back({"only", -1, {}, Add{1, 64}});
  EXPECT_EQ(shorten(t, kNear).trace.operators.size(), 1u);
}

}  // namespace
}  // namespace edgenpu::workload
