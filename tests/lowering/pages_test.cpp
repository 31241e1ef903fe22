// A cache in pages takes whole pages.
#include <random>

#include "base/error.h"
#include "lowering/memory_map.h"
#include "lowering/sample_npu.h"

namespace edgenpu::lowering {
namespace {

using workload::Attention;
using workload::Trace;

Trace trace_with(const Attention& o) {
  Trace t;
  t.operators.push_back({"blk.0.attention", 0, {}, o});
  const std::int64_t all = o.cached + o.m, kept = o.window == 0 ? all : std::min(all, o.window);
  t.resident_kv = vocabulary::row_bytes(o.kv_format, o.head_dim) * (2 * o.kv_heads * o.requests * kept);
  return t;
}

TEST(Pages, OfAThousandTokensAreTwoForAThousandAndOne) {
  Attention o{1, 32, 8, 64, 1000, 0, vocabulary::Format::F16};
  const Trace t = trace_with(o);
  EXPECT_EQ(allocated_kv(t, 0), t.resident_kv);
  EXPECT_EQ(allocated_kv(t, 1), t.resident_kv);
  EXPECT_EQ(allocated_kv(t, 1000), Bytes(2000 * 2 * 8 * 64 * 2));
  EXPECT_EQ(allocated_kv(t, 1001), t.resident_kv);
}

TEST(Pages, AreWholeInTheFitAndInTheMapWhateverTheirSize) {
  std::mt19937 random(25);
  const auto below = [&](std::uint32_t n) { return static_cast<std::int64_t>(random() % n); };
  for (int i = 0; i < 200; ++i) {
    Attention o{1 + below(5), 4, 2, 32, below(300), below(3) ? 0 : 1 + below(200), vocabulary::Format::F16};
    o.requests = 1 + below(3);
    const std::int64_t page = 1 + below(64), row = 32 * 2, planes = 2 * o.kv_heads * o.requests;
    const Trace t = trace_with(o);
    const std::int64_t rows = t.resident_kv.count() / row / planes, pages = (rows + page - 1) / page;
    EXPECT_EQ(allocated_kv(t, page).count(), pages * page * row * planes);

    config::Memory memory;
    memory.capacity = Bytes(1 << 30);
    const MemoryMap map = map_memory(t, memory, page);
    EXPECT_EQ(map.kv[0].head.count() % (page * row), 0) << "planes begin with a page";
    EXPECT_GE(map.kv[0].head, Bytes((o.cached + o.m) * row));

    memory.capacity = allocated_kv(t, page) - Bytes(1);
    EXPECT_THROW(map_memory(t, memory, page), InfeasibleError);
  }
}

}  // namespace
}  // namespace edgenpu::lowering
