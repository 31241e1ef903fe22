// Spreads independent items over the processor's cores. Which core computes an item never changes its result,
// so results do not depend on the number of cores.
#pragma once

#include <cstdint>
#include <functional>

namespace edgenpu::numerics {

// Calls body(begin, end) on disjoint ranges that cover 0..items, at most one range a core, on this thread
// alone if `work` (multiply-adds of all items) is too small to pay for a thread. Exceptions of `body` are
// rethrown here.
void parallel(std::int64_t items, std::int64_t work,
              const std::function<void(std::int64_t, std::int64_t)>& body);

// Caps the threads of later calls; 0: one for each core.
void set_threads(int count);

}  // namespace edgenpu::numerics
