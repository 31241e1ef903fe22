#include "hardware/worker.h"

#include <numeric>
#include <sys/resource.h>

#include "base/error.h"
#include "process/pool.h"

namespace edgenpu::hardware {

namespace {

WorkerResult result_of(const process::Finished& f) {
  if (!f.outcome && f.outcome.why().kind == Failure::lost)
    throw InternalError("the simulation " + f.outcome.why().text);
  return {activity::from_bytes(f.outcome.value()), f.cpu_s, f.peak_rss_B};
}

}  // namespace

std::vector<Outcome<WorkerResult>> run_in_workers(std::size_t n, int jobs,
                                                  const std::function<Simulation(std::size_t)>& prepare) {
  std::vector<std::int64_t> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 0);
  std::vector<Outcome<WorkerResult>> outcomes(n);
  process::run_pool(
      numbers, jobs, {},
      [&](std::int64_t i) -> process::Work {
        Simulation simulation = prepare(static_cast<std::size_t>(i));
        return [simulation = std::move(simulation)] { return activity::to_bytes(simulation()); };
      },
      [&](const process::Finished& f) {
        outcomes[static_cast<std::size_t>(f.job)] = attempt([&] { return result_of(f); });
      });
  return outcomes;
}

WorkerResult run_in_worker(const Simulation& simulation) {
  return run_in_workers(1, 1, [&](std::size_t) { return simulation; }).front().take();
}

WorkerResult run_here(const Simulation& simulation) {
  activity::Snapshot snapshot = simulation();
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return {std::move(snapshot), seconds(usage.ru_utime) + seconds(usage.ru_stime),
          static_cast<std::int64_t>(usage.ru_maxrss) * 1024};
}

}  // namespace edgenpu::hardware
