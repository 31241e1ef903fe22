// What is told of a program before it is made, beside what it has when it is.
#include "lowering/program_size.h"

#include <gtest/gtest.h>

#include "lowering/lower.h"
#include "lowering/memory_map.h"
#include "lowering/sample_model.h"
#include "lowering/sample_npu.h"
#include "workload/generate.h"

namespace edgenpu::lowering {
namespace {

struct Case {
  const char* what;
  std::int64_t prompt, context, scratchpad_KiB;
  int pipelines;
  double least;  // of the commands that attention and products have, this share is told
};

std::int64_t told(const workload::Trace& t, const config::Npu& npu) {
  const MemoryMap map = map_memory(t, npu.memory, npu.kv_page);
  const Layout layout = choose_layout(t, npu, map.end, wishes_of(t, npu));
  const Builder builder(npu, static_cast<int>(t.operators.size()), layout.division);
  return least_commands(t, npu, layout, builder);
}

TEST(ProgramSize, IsToldBeforehandFromBelowAndNotByMuch) {
  const std::vector<Case> cases = {{"short", 64, 0, 256, 1, 0.5},
                                   {"long", 2048, 0, 256, 1, 0.8},
                                   {"long, spilled", 2048, 0, 64, 1, 0.8},
                                   {"behind a cache", 512, 2048, 256, 1, 0.8},
                                   {"several pipelines", 2048, 0, 256, 4, 0.8}};
  for (const Case& c : cases) {
    config::Npu npu = test::sample_npu();
    npu.scratchpad.size = Bytes(c.scratchpad_KiB * 1024);
    npu.vector.pipelines = c.pipelines;
    const workload::Trace t = workload::generate_prefill(test::sample_model(), "Q4_K_M", c.prompt, c.context,
                                                         vocabulary::Format::F16);
    const Program program = lower(t, npu);
    std::int64_t made = 0;
    for (const Command& command : program.commands) {
      const workload::OperatorBody& body =
          t.operators[static_cast<std::size_t>(activity::index(command.op))].body;
      made +=
          std::holds_alternative<workload::Attention>(body) || std::holds_alternative<workload::MatMul>(body);
    }
    EXPECT_LE(told(t, npu), made) << c.what;
    EXPECT_GE(static_cast<double>(told(t, npu)), c.least * static_cast<double>(made)) << c.what;
  }
}

}  // namespace
}  // namespace edgenpu::lowering
