// How fast the memory model is. `instructions` are user-mode instructions per request, where the kernel lets
// a process count them (0 where it does not). A request is 64 B.
#include <benchmark/benchmark.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hardware/memory/memory_bench.h"
#include "hardware/memory/memory_fixture.h"

namespace edgenpu::hardware {
namespace {

class InstructionCounter {
 public:
  InstructionCounter() {
    perf_event_attr attr{};
    attr.type = PERF_TYPE_HARDWARE;
    attr.size = sizeof attr;
    attr.config = PERF_COUNT_HW_INSTRUCTIONS;
    attr.exclude_kernel = 1;
    fd_ = static_cast<int>(syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0));
  }
  ~InstructionCounter() {
    if (fd_ >= 0) close(fd_);
  }
  std::int64_t count() const {
    std::int64_t n = 0;
    if (fd_ < 0 || read(fd_, &n, sizeof n) != sizeof n) return 0;
    return n;
  }

 private:
  int fd_;
};

void run(benchmark::State& state, const char* pattern, Detail detail, const char* refresh) {
  const config::Memory m = load_memory("lpddr5-6400", {std::string("refresh=") + refresh});
  const std::int64_t requests = detail == Detail::row ? 8'000'000 : 400'000;
  BenchOptions options;
  options.detail = detail;
  const InstructionCounter counter;
  const std::int64_t before = counter.count();
  std::int64_t done = 0;
  for (auto _ : state) {
    const auto r = run_memory_bench(
        m, [&] { return make_pattern(pattern, requests, m.capacity.count()); }, pattern, options);
    done += r.requests;
    state.counters["utilisation"] = r.utilisation;
  }
  state.counters["requests/s"] = benchmark::Counter(static_cast<double>(done), benchmark::Counter::kIsRate);
  state.counters["B/s"] = benchmark::Counter(static_cast<double>(done * 64), benchmark::Counter::kIsRate);
  // Hardware counters are not to be had everywhere; scripts/benchmark-memory counts with callgrind.
  const std::int64_t instructions = counter.count() - before;
  if (instructions > 0)
    state.counters["instructions"] =
        static_cast<double>(instructions) / static_cast<double>(std::max<std::int64_t>(done, 1));
}

BENCHMARK_CAPTURE(run, burst_seq_rd, "seq_rd", Detail::burst, "ab");
BENCHMARK_CAPTURE(run, burst_rand64, "rand64", Detail::burst, "ab");
BENCHMARK_CAPTURE(run, burst_seq_w10, "seq_w10", Detail::burst, "pb");
BENCHMARK_CAPTURE(run, burst_gather4k, "gather4k", Detail::burst, "pb");
BENCHMARK_CAPTURE(run, row_seq_rd, "seq_rd", Detail::row, "ab");
BENCHMARK_CAPTURE(run, row_seq_rd_per_bank, "seq_rd", Detail::row, "pb");
BENCHMARK_CAPTURE(run, row_gather4k, "gather4k", Detail::row, "ab");

}  // namespace
}  // namespace edgenpu::hardware

BENCHMARK_MAIN();
