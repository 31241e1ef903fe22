// How large a program will be, told before it is made. The commands of attention grow with the square of a prompt, and
// those of products faster than it where activations do not fit; memory and time of a run grow with both.
#pragma once

#include "lowering/builder.h"
#include "lowering/layout.h"

namespace edgenpu::lowering {

// Commands that a program has at least: of attention those of products, functions and loads of keys and values, not
// those of queries and results; of other products their own and one more that loads, stores or follows.
std::int64_t least_commands(const workload::Trace& trace, const config::Npu& npu, const Layout& layout,
                            const Builder& builder);

// Memory that a program with so many commands takes at least, with its copy without repetitions (cut.h).
Bytes least_memory(std::int64_t commands);

}  // namespace edgenpu::lowering
