// The KV cache of every model in models/, against the layouts of the published files (tests/data/kv_cache.csv).
#include <gtest/gtest.h>
#include <set>

#include "support.h"
#include "workload/generate.h"

namespace edgenpu::workload {
namespace {

std::int64_t cache(const Model& m, std::int64_t tokens) {
  return generate_decode(store(m, "F16"), tokens - 1).resident_kv.count();
}

TEST(KvCache, HasThePublishedBytesAtOneAndAtAHundredThousandTokens) {
  std::set<std::string> seen;
  for (const Row& row : table("kv_cache.csv")) {
    const Model m = model(row.at("model"));
    seen.insert(row.at("model"));
    EXPECT_EQ(cache(m, 100'000) - cache(m, 99'999), integer(row, "growth")) << row.at("model");
    // Stand-ins for recurrent layers have windows for states.
    if (row.at("bytes_1").empty()) {
      EXPECT_FALSE(m.stand_in.empty()) << row.at("model");
      continue;
    }
    EXPECT_EQ(cache(m, 1), integer(row, "bytes_1")) << row.at("model");
    EXPECT_EQ(cache(m, 100'000), integer(row, "bytes_100000")) << row.at("model");
  }
  const std::vector<std::string> names = model_names(kDataDir);
  EXPECT_EQ(seen, std::set<std::string>(names.begin(), names.end()));
}

// gpustack/gguf-parser-go#31: 384 MiB at 32768 tokens, and two rows of each convolution.
TEST(KvCache, OfLfm2Is384MiBAt32768Tokens) {
  EXPECT_EQ(cache(model("lfm2.5-1.2b"), 32768), 402'653'184 + 10 * 2 * 2048 * 2);
}

}  // namespace
}  // namespace edgenpu::workload
