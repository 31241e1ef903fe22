#include "lowering/lower.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "lowering/sample_npu.h"

namespace edgenpu::lowering {
namespace {

using test::sample_npu;
using test::sample_trace;
using ::testing::HasSubstr;
using workload::Trace;

std::vector<std::int64_t> bytes_by_operator(const Program& p, Unit unit) {
  std::vector<std::int64_t> bytes(static_cast<std::size_t>(p.operators), 0);
  for (const Command& c : p.commands) {
    if (c.unit != unit) continue;
    const Transfer& t = p.transfers[static_cast<std::size_t>(c.work)];
    bytes[static_cast<std::size_t>(activity::index(c.op))] += t.bytes.count() * t.count;
  }
  return bytes;
}

std::string failure(const Trace& trace, const config::Npu& npu) {
  try {
    lower(trace, npu);
  } catch (const InfeasibleError& e) {
    return e.what();
  }
  return "";
}

TEST(Lowering, LoadsEachOperatorsBytesExactlyOnce) {
  const Trace t = sample_trace(2, 1000);
  const auto loaded = bytes_by_operator(lower(t, sample_npu()), Unit::load);
  for (std::size_t i = 0; i < t.operators.size(); ++i)
    EXPECT_EQ(
        loaded[i],
        (workload::weight_bytes(t.operators[i].body) + workload::kv_read_bytes(t.operators[i].body)).count())
        << t.operators[i].name;
}

TEST(Lowering, StoresOnlyTheNewKeysAndValues) {
  const Trace t = sample_trace(2, 100);
  const auto stored = bytes_by_operator(lower(t, sample_npu()), Unit::store);
  for (std::size_t i = 0; i < t.operators.size(); ++i)
    EXPECT_EQ(stored[i], workload::kv_write_bytes(t.operators[i].body).count()) << t.operators[i].name;
}

TEST(Lowering, DoesEachProductExactlyOnce) {
  const Trace t = sample_trace(1, 777);
  const Program p = lower(t, sample_npu());
  std::vector<std::int64_t> macs(t.operators.size(), 0);
  for (const Command& c : p.commands) {
    if (c.unit != Unit::matrix) continue;
    const MatrixWork& w = p.matrix[static_cast<std::size_t>(c.work)];
    macs[static_cast<std::size_t>(activity::index(c.op))] += w.m * w.n * w.k;
  }
  for (std::size_t i = 0; i < t.operators.size(); ++i)
    EXPECT_EQ(macs[i], workload::macs(t.operators[i].body).count()) << t.operators[i].name;
}

TEST(Lowering, MakesCommandsWaitForEarlierCommandsOnly) {
  const Program p = lower(sample_trace(3, 300), sample_npu());
  for (std::size_t i = 0; i < p.commands.size(); ++i)
    for (int d = 0; d < p.commands[i].dependencies; ++d)
      EXPECT_LT(p.dependencies[static_cast<std::size_t>(p.commands[i].first_dependency + d)].command,
                static_cast<int>(i));
}

// Runs the program's books: a load occupies its bytes from its start until the last command that waits for
// its data.
std::int64_t most_bytes_in_ring(const Program& p) {
  // A load may start once its dependencies are done: the bytes of every earlier load whose readers all come
  // after the load's latest dependency may still be there.
  std::vector<int> last_reader(p.commands.size(), -1);
  for (std::size_t i = 0; i < p.commands.size(); ++i)
    for (int d = 0; d < p.commands[i].dependencies; ++d) {
      const Dependency& dep = p.dependencies[static_cast<std::size_t>(p.commands[i].first_dependency + d)];
      const bool reads =
          dep.wait == Wait::data && p.commands[static_cast<std::size_t>(dep.command)].unit == Unit::load;
      if (reads) last_reader[static_cast<std::size_t>(dep.command)] = static_cast<int>(i);
    }
  std::int64_t most = 0, now = 0;
  std::vector<int> held;
  int freed_until = -1;
  const auto size = [&p](int load) {
    const Transfer& t =
        p.transfers[static_cast<std::size_t>(p.commands[static_cast<std::size_t>(load)].work)];
    return t.bytes.count() * t.count;
  };
  for (int i = 0; i < static_cast<int>(p.commands.size()); ++i) {
    const Command& c = p.commands[static_cast<std::size_t>(i)];
    if (c.unit != Unit::load) continue;
    for (int d = 0; d < c.dependencies; ++d)
      freed_until =
          std::max(freed_until, p.dependencies[static_cast<std::size_t>(c.first_dependency + d)].command);
    std::vector<int> kept;
    for (const int load : held) {
      if (last_reader[static_cast<std::size_t>(load)] > freed_until)
        kept.push_back(load);
      else
        now -= size(load);
    }
    held = kept;
    held.push_back(i);
    now += size(i);
    most = std::max(most, now);
  }
  return most;
}

TEST(Lowering, NeverHoldsMoreLoadsThanTheScratchpadHasRoomFor) {
  std::uint64_t seed = 11;
  for (int round = 0; round < 40; ++round) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    config::Npu npu = sample_npu();
    npu.scratchpad.size = Bytes(static_cast<std::int64_t>(32 * 1024 + (seed >> 40) % (512 * 1024)));
    npu.tile = Bytes(static_cast<std::int64_t>(1024 + (seed >> 20) % 65536));
    const Program p = lower(sample_trace(2, static_cast<std::int64_t>((seed >> 33) % 3000)), npu);
    EXPECT_LE(most_bytes_in_ring(p), p.scratchpad_ring.count());
    EXPECT_LE(p.scratchpad_fixed + p.scratchpad_ring, npu.scratchpad.size);
  }
}

TEST(Lowering, WithoutPrefetchTheFirstLoadOfAnOperatorWaitsForTheOneBefore) {
  config::Npu npu = sample_npu();
  npu.prefetch = false;
  const Program p = lower(sample_trace(2, 64), npu);
  int ordered = 0;
  for (const Dependency& d : p.dependencies) ordered += d.wait == Wait::order;
  // Every operator that loads, but the first, which has nothing before it.
  int loading = 0, last = -1;
  for (const Command& c : p.commands)
    if (c.unit == Unit::load && activity::index(c.op) != last) {
      last = activity::index(c.op);
      ++loading;
    }
  EXPECT_EQ(ordered, loading - 1);
  npu.prefetch = true;
  for (const Dependency& d : lower(sample_trace(2, 64), npu).dependencies) EXPECT_NE(d.wait, Wait::order);
}

TEST(Lowering, SetsABarrierBeforeEachOperatorOrLayer) {
  config::Npu npu = sample_npu();
  const Trace t = sample_trace(2, 64);
  const auto barriers = [&](config::Barriers b) {
    npu.barriers = b;
    std::vector<int> ops;
    for (const Command& c : lower(t, npu).commands)
      if (c.barrier) ops.push_back(activity::index(c.op));
    return ops;
  };
  EXPECT_TRUE(barriers(config::Barriers::none).empty());
  // Two layers and what follows them; the sample's choice of the best logit is part of the last product.
  std::vector<int> layers;
  for (std::size_t i = 1; i < t.operators.size(); ++i)
    if (t.operators[i].layer != t.operators[i - 1].layer) layers.push_back(static_cast<int>(i));
  EXPECT_EQ(barriers(config::Barriers::layer), layers);
  EXPECT_EQ(barriers(config::Barriers::operators).size(), t.operators.size() - 2);
}

TEST(Lowering, TakesALongContextInBlocksWhoseScoresFit) {
  config::Npu npu = sample_npu();
  const Program p = lower(sample_trace(1, 100'000), npu);
  for (const Command& c : p.commands) {
    if (c.unit != Unit::vector) continue;
    const VectorWork& w = p.vector[static_cast<std::size_t>(c.work)];
    EXPECT_LE(w.written.count() * 2, npu.scratchpad.size.count() / 4 + 4096);
  }
}

TEST(Lowering, RunsWithoutAnyCachedToken) {
  const Trace t = sample_trace(1, 0);
  const Program p = lower(t, sample_npu());
  EXPECT_GT(p.matrix.size(), 0U);
}

TEST(Lowering, RefusesAModelThatDoesNotFitAndNamesTheBytes) {
  config::Npu npu = sample_npu();
  npu.memory.capacity = Bytes(100'000);
  npu.memory.reserve = Bytes(1000);
  const Trace t = sample_trace(1, 1000);
  const std::int64_t needed = (t.resident_weights + t.resident_kv).count() + 1000;
  EXPECT_THAT(failure(t, npu), HasSubstr("needs " + std::to_string(needed) + " B"));
  EXPECT_THAT(failure(t, npu), HasSubstr("there are 100000 B"));
}

TEST(Lowering, FitsAMemoryOfExactlyTheNeededSizeAndNoByteLess) {
  config::Npu npu = sample_npu();
  const Trace t = sample_trace(1, 1000);
  npu.memory.capacity = t.resident_weights + t.resident_kv;
  EXPECT_EQ(failure(t, npu), "");
  npu.memory.capacity -= Bytes(1);
  EXPECT_NE(failure(t, npu), "");
}

TEST(Lowering, RefusesAScratchpadThatCannotHoldTheActivations) {
  config::Npu npu = sample_npu();
  npu.scratchpad.size = Bytes(4096);
  EXPECT_THAT(failure(sample_trace(1, 10), npu), HasSubstr("do not fit the scratchpad"));
}

TEST(Lowering, RefusesAFormatThatTheEnginesCannotDecodeAndNamesTheTensor) {
  config::Npu npu = sample_npu();
  npu.matrix.decode.erase("Q6_K");
  EXPECT_THAT(failure(sample_trace(1, 10), npu),
              HasSubstr("blk.0.attn_v cannot be mapped: matrix.decode of sample has no Q6_K"));
}

}  // namespace
}  // namespace edgenpu::lowering
