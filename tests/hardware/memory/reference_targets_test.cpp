// Every gated row of the reference bounds (tests/data/dram/targets.csv), in burst detail. The bounds come
// from runs of three open DRAM simulators with one set of timings, and the spread between them.
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "hardware/memory/memory_bench.h"
#include "hardware/memory/memory_fixture.h"

namespace edgenpu::hardware {
namespace {

struct Target {
  std::string memory, mapping, pattern, refresh, metric;
  int window = 0;
  std::int64_t requests = 0;
  double low = 0, high = 0;
  bool gate = false;
};

std::vector<Target> targets() {
  std::ifstream file(std::string(EDGENPU_SOURCE_DIR) + "/tests/data/dram/targets.csv");
  std::vector<Target> all;
  std::string line;
  std::getline(file, line);
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::stringstream cells(line);
    std::vector<std::string> c;
    for (std::string cell; std::getline(cells, cell, ',');) c.push_back(cell);
    all.push_back({c[0], c[1], c[2], c[3], c[6], std::stoi(c[4]), std::stoll(c[5]), std::stod(c[7]),
                   std::stod(c[8]), c[9] == "yes"});
  }
  return all;
}

result::MemoryResult run(const Target& t) {
  const bool lp4 = t.memory == "LPDDR4-4266";
  std::vector<std::string> set = {"mapping=" + t.mapping};
  set.push_back(t.refresh == "none" ? "refresh=none" : t.refresh == "REFab" ? "refresh=ab" : "refresh=pb");
  if (t.refresh == "REFpb-244ns") set.push_back("timing.tREFIpb=244 ns");
  const config::Memory m = load_memory(lp4 ? "lpddr4x-4266" : "lpddr5-6400", set);
  BenchOptions options;
  options.window = t.window;
  return run_memory_bench(
      m, [&] { return make_pattern(t.pattern, t.requests, m.capacity.count()); }, t.pattern, options);
}

class ReferenceTargets : public testing::TestWithParam<Target> {};

TEST_P(ReferenceTargets, LieWithinTheBoundsOfTheReferenceSimulators) {
  const Target& t = GetParam();
  const result::MemoryResult r = run(t);
  const double value = t.metric == "latency_ns" ? r.read_latency_ns.mean : r.utilisation * 100;
  RecordProperty("value", std::to_string(value));
  std::printf("%-12s %-11s %-13s %-12s W=%-2d %-16s %7.2f in [%.1f, %.1f]%s\n", t.memory.c_str(),
              t.mapping.c_str(), t.pattern.c_str(), t.refresh.c_str(), t.window, t.metric.c_str(), value,
              t.low, t.high, t.gate ? "" : " (not gated)");
  if (!t.gate) return;
  EXPECT_GE(value, t.low);
  EXPECT_LE(value, t.high);
}

std::string name_of(const testing::TestParamInfo<Target>& info) {
  const Target& t = info.param;
  std::string name =
      t.memory + "_" + t.mapping + "_" + t.pattern + "_" + t.refresh + "_W" + std::to_string(t.window);
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Reference, ReferenceTargets, testing::ValuesIn(targets()), name_of);

}  // namespace
}  // namespace edgenpu::hardware
