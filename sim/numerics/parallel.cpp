#include "numerics/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace edgenpu::numerics {
namespace {

std::atomic<int> cap{0};

// Starting a thread takes about 20 us; a core does some 10^9 multiply-adds a second.
constexpr std::int64_t kWorkThatPays = 200'000;

std::int64_t threads_for(std::int64_t items, std::int64_t work) {
  const int wanted = cap.load();
  const auto cores = static_cast<std::int64_t>(
      wanted > 0 ? static_cast<unsigned>(wanted) : std::max(1u, std::thread::hardware_concurrency()));
  return std::max<std::int64_t>(1, std::min({items, cores, work / kWorkThatPays}));
}

}  // namespace

void set_threads(int count) {
  cap = count;
}

void parallel(std::int64_t items, std::int64_t work,
              const std::function<void(std::int64_t, std::int64_t)>& body) {
  const std::int64_t count = threads_for(items, work);
  if (count == 1) {
    body(0, items);
    return;
  }
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(count));
  std::vector<std::thread> threads;
  const auto part = [&](std::int64_t t) {
    try {
      body(items * t / count, items * (t + 1) / count);
    } catch (...) {
      failures[static_cast<std::size_t>(t)] = std::current_exception();
    }
  };
  threads.reserve(static_cast<std::size_t>(count));
  for (std::int64_t t = 0; t < count; ++t) {
    try {
      threads.emplace_back(part, t);
    } catch (const std::system_error&) {
      part(t);  // the system gives no further thread
    }
  }
  for (std::thread& t : threads) t.join();
  for (const std::exception_ptr& f : failures)
    if (f) std::rethrow_exception(f);
}

}  // namespace edgenpu::numerics
