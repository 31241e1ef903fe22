// Paged caches: a descriptor a page, or a gather list for as many pages as a load brings.
#include <algorithm>
#include <gtest/gtest.h>

#include "base/error.h"
#include "lowering/lower.h"
#include "lowering/memory_map.h"
#include "lowering/sample_npu.h"

namespace edgenpu::lowering {
namespace {

using test::sample_npu;
using test::sample_trace;

// Pages of 16 tokens: 16 x 64 B, a load of 16 KiB brings 16 of them.
config::Npu paged(bool gather) {
  config::Npu npu = sample_npu();
  npu.kv_page = 16;
  npu.dma.gather = gather;
  npu.memory.reserve = Bytes(1 << 20);
  return npu;
}

struct Loads {
  std::vector<Transfer> transfers;
  std::vector<GatherPiece> pieces;
  std::int64_t bytes = 0;
};

Loads cache_loads(const Program& p) {
  Loads loads;
  for (const Command& c : p.commands) {
    if (c.unit != Unit::load) continue;
    if (p.operator_names[static_cast<std::size_t>(activity::index(c.op))] != "blk.0.attention") continue;
    const Transfer& t = p.transfers[static_cast<std::size_t>(c.work)];
    loads.transfers.push_back(t);
    loads.bytes += t.total().count();
    if (t.kind() != TransferKind::gather) loads.pieces.push_back({t.address, t.total()});
    for (int i = 0; i < t.pieces; ++i)
      loads.pieces.push_back(p.gather[static_cast<std::size_t>(t.first_piece + i)]);
  }
  return loads;
}

TEST(PagedCache, IsOneDescriptorAPageWithoutGather) {
  const Loads loads = cache_loads(lower(sample_trace(1, 1024), paged(false)));
  EXPECT_EQ(loads.transfers.size(), 2U * 2 * 1024 / 16);  // keys and values of two heads
  for (const Transfer& t : loads.transfers) EXPECT_EQ(t.kind(), TransferKind::linear);
}

TEST(PagedCache, IsOneGatherListALoadWithIt) {
  const Loads each = cache_loads(lower(sample_trace(1, 1024), paged(false)));
  const Loads lists = cache_loads(lower(sample_trace(1, 1024), paged(true)));
  EXPECT_LE(lists.transfers.size() * 8, each.transfers.size());
  EXPECT_EQ(lists.bytes, each.bytes);
  // The same pages, in the same order, but that keys of one block and values of the one before alternate.
  const auto sorted = [](std::vector<GatherPiece> pieces) {
    std::vector<std::pair<std::int64_t, std::int64_t>> s;
    for (const GatherPiece& piece : pieces) s.emplace_back(piece.address, piece.bytes.count());
    std::sort(s.begin(), s.end());
    return s;
  };
  EXPECT_EQ(sorted(lists.pieces), sorted(each.pieces));
}

TEST(PagedCache, HasListsApartFromEachOtherAndFromTheData) {
  const Loads lists = cache_loads(lower(sample_trace(1, 1024), paged(true)));
  std::vector<std::pair<std::int64_t, std::int64_t>> used;
  for (const Transfer& t : lists.transfers)
    if (t.kind() == TransferKind::gather) used.emplace_back(t.address, t.address + t.pieces * 16);
  for (const GatherPiece& piece : lists.pieces)
    used.emplace_back(piece.address, piece.address + piece.bytes.count());
  std::sort(used.begin(), used.end());
  for (std::size_t i = 1; i < used.size(); ++i) EXPECT_LE(used[i - 1].second, used[i].first);
}

TEST(PagedCache, RefusesListsThatTheMemoryHasNoRoomFor) {
  config::Npu npu = paged(true);
  const workload::Trace t = sample_trace(1, 1024);
  // 64 pages x 16 B, keys and values, two heads.
  npu.memory.reserve = Bytes(0);
  npu.memory.capacity = t.resident_weights + allocated_kv(t, npu.kv_page) + Bytes(64 * 16 * 4 - 1);
  EXPECT_THROW(lower(t, npu), InfeasibleError);
  npu.memory.capacity += Bytes(1);
  EXPECT_NO_THROW(lower(t, npu));
}

}  // namespace
}  // namespace edgenpu::lowering
