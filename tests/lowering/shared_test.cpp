#include "lowering/shared.h"

#include <gtest/gtest.h>
#include <random>

#include "lowering/kernel_lower.h"
#include "lowering/values.h"
#include "workload/generate.h"
#include "workload/model_source.h"

namespace edgenpu::lowering {
namespace {

workload::Trace step() {
  return workload::generate_decode(workload::open_model("smollm2-135m", "Q8_0", EDGENPU_SOURCE_DIR), 32);
}

config::Memory memory() {
  config::Memory m;
  m.capacity = Bytes(std::int64_t{1} << 33);
  return m;
}

TEST(Shared, StagesAreRunsOfOperatorsOnOneUnit) {
  const workload::Trace trace = step();
  const auto n = trace.operators.size();
  const Shared alone = share(trace, memory(), std::vector<int>(n, 3));
  EXPECT_EQ(alone.stages, 1);
  EXPECT_EQ(alone.read, Bytes(0));
  EXPECT_EQ(alone.written, Bytes(0));
  std::vector<int> turns(n);
  for (std::size_t i = 0; i < n; ++i) turns[i] = static_cast<int>(i % 2);
  EXPECT_EQ(share(trace, memory(), turns).stages, static_cast<int>(n));
}

TEST(Shared, EveryResultOfAnotherUnitIsWrittenOnceAndReadByEachStageThatTakesIt) {
  const workload::Trace trace = step();
  const std::vector<Value> values = values_of(trace, consumers_of(trace));
  std::mt19937 random(3);
  for (int i = 0; i < 50; ++i) {
    std::vector<int> unit(trace.operators.size());
    int now = 0;
    for (int& u : unit) u = random() % 4 == 0 ? now = static_cast<int>(random() % 3) : now;
    const Shared s = share(trace, memory(), unit);
    Bytes read(0), written(0);
    std::vector<bool> counted(unit.size());
    for (std::size_t op = 0; op < unit.size(); ++op)
      for (const int producer : trace.operators[op].needs) {
        const auto p = static_cast<std::size_t>(producer);
        if (unit[p] == unit[op]) continue;
        EXPECT_EQ(s.value[p].total(), values[p].bytes());
        if (!counted[p]) written += values[p].bytes();
        counted[p] = true;
        // The first of its stage that takes it.
        bool before = false;
        for (std::size_t other = 0; other < op; ++other)
          if (s.stage[other] == s.stage[op])
            for (const int need : trace.operators[other].needs) before |= need == producer;
        if (!before) read += values[p].bytes();
      }
    EXPECT_EQ(s.written, written);
    EXPECT_EQ(s.read, read);
  }
}

}  // namespace
}  // namespace edgenpu::lowering
