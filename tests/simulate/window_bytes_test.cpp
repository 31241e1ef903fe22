// A sliding window: the cached rows that are read are those that a query of the step sees.
#include <random>
#include <set>

#include "simulate/one_product.h"

namespace edgenpu {
namespace {

using workload::Attention;

// Query i of m, at position cached + i, sees `window` keys up to its own.
std::int64_t cached_rows_seen(const Attention& o) {
  std::set<std::int64_t> rows;
  for (std::int64_t i = 0; i < o.m; ++i) {
    const std::int64_t own = o.cached + i;
    for (std::int64_t key = o.window == 0 ? 0 : std::max<std::int64_t>(0, own + 1 - o.window); key <= own;
         ++key)
      if (key < o.cached) rows.insert(key);
  }
  return static_cast<std::int64_t>(rows.size());
}

std::int64_t keys_seen(const Attention& o) {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < o.m; ++i)
    sum += o.window == 0 ? o.cached + i + 1 : std::min(o.cached + i + 1, o.window);
  return sum;
}

Attention random_attention(std::mt19937& random) {
  const auto below = [&](std::uint32_t n) { return static_cast<std::int64_t>(random() % n); };
  Attention o{1 + below(9), 4, 2, 64, below(90), below(2) ? 1 + below(100) : 0, vocabulary::Format::F16};
  o.requests = 1 + below(2);
  return o;
}

TEST(WindowBytes, AreThoseOfTheKeysThatAreComputed) {
  std::mt19937 random(23);
  for (int i = 0; i < 500; ++i) {
    const Attention o = random_attention(random);
    EXPECT_EQ(workload::cached_rows_read(o), cached_rows_seen(o))
        << o.m << " " << o.cached << " " << o.window;
    EXPECT_EQ(workload::kv_read_bytes(o), Bytes(cached_rows_seen(o) * o.requests * 2 * o.kv_heads * 64 * 2));
    EXPECT_EQ(workload::macs(o), Macs(2 * o.requests * o.heads * 64 * keys_seen(o)));
  }
}

TEST(WindowBytes, AreReadByEveryKindOfDevice) {
  std::mt19937 random(24);
  for (int i = 0; i < 6; ++i) {
    Attention o = random_attention(random);
    o.window = 1 + static_cast<std::int64_t>(random() % 40);
    workload::Trace t;
    t.model = "attention";
    t.quant = "F16";
    t.phase = o.m == 1 ? workload::Phase::decode : workload::Phase::prefill;
    t.tokens = o.m;
    t.context = o.cached;
    t.batch = o.requests;
    t.operators.push_back({"attention", -1, {}, o});
    t.operators.back().input_on_chip = true;  // the cache alone
    for (const char* hardware : {"npu-raiderchip-asic", "cpu-rk3588", "gpu-orin-nano"}) {
      const auto r = test::run_trace(t, hardware, {}, false);
      EXPECT_EQ(r.metrics.dram_read_B - r.metrics.dram_refetched_B, workload::kv_read_bytes(o).count())
          << hardware << " " << o.m << " " << o.cached << " " << o.window;
      EXPECT_EQ(test::failed_checks(r), "") << hardware;
    }
  }
}

}  // namespace
}  // namespace edgenpu
