#include "hardware/worker.h"

#include <sys/resource.h>

#include "process/child_process.h"

namespace edgenpu::hardware {

namespace {

struct Worker {
  std::size_t number;
  process::ChildProcess process;
};

// False if the system has no room for one more beside the others.
bool start(std::size_t number, const Simulation& simulation, std::vector<Worker>& workers) {
  try {
    workers.push_back({number, process::ChildProcess([&] { return activity::to_bytes(simulation()); })});
    return true;
  } catch (const process::NoProcess&) {
    if (workers.empty()) throw;
    return false;
  }
}

// "file:line:column: message" as it was thrown in the child.
[[noreturn]] void throw_input_error(const std::string& text) {
  const std::size_t end = text.find(": ");
  if (end == std::string::npos) throw InputError(Position{"the simulation"}, text);
  throw InputError(Position{text.substr(0, end)}, text.substr(end + 2));
}

WorkerResult collect(Worker& w) {
  const process::Answer a = w.process.answer();
  switch (a.kind) {
    case process::Answer::Kind::returned:
      return {activity::from_bytes(a.text), a.cpu_s, a.peak_rss_B};
    case process::Answer::Kind::infeasible:
    case process::Answer::Kind::out_of_memory:
      throw InfeasibleError(a.text);
    case process::Answer::Kind::bad_input:
      throw_input_error(a.text);
    case process::Answer::Kind::died:
      throw InternalError("the simulation " + a.text);
    case process::Answer::Kind::error:
      break;
  }
  throw InternalError(a.text);
}

// Waits until something has come from at least one worker; moves those that have ended into `outcomes`.
void gather(std::vector<Worker>& workers, std::vector<WorkerOutcome>& outcomes) {
  std::vector<const process::ChildProcess*> processes;
  for (const Worker& w : workers) processes.push_back(&w.process);
  const std::vector<bool> ready = process::wait_for(processes, -1);
  for (std::size_t i = workers.size(); i-- > 0;) {
    if (!ready[i] || workers[i].process.receive()) continue;
    WorkerOutcome& outcome = outcomes[workers[i].number];
    try {
      outcome.result = collect(workers[i]);
    } catch (...) {
      outcome.error = std::current_exception();
    }
    workers.erase(workers.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

}  // namespace

std::vector<WorkerOutcome> run_in_workers(std::size_t n, int jobs,
                                          const std::function<Simulation(std::size_t)>& prepare) {
  std::vector<WorkerOutcome> outcomes(n);
  std::vector<Worker> workers;
  for (std::size_t i = 0; i < n; ++i) {
    while (static_cast<int>(workers.size()) >= jobs) gather(workers, outcomes);
    try {
      const Simulation simulation = prepare(i);
      while (!start(i, simulation, workers)) gather(workers, outcomes);  // there is room when one has ended
    } catch (...) {
      outcomes[i].error = std::current_exception();
    }
  }
  while (!workers.empty()) gather(workers, outcomes);
  return outcomes;
}

WorkerResult run_in_worker(const Simulation& simulation) {
  std::vector<WorkerOutcome> outcomes = run_in_workers(1, 1, [&](std::size_t) { return simulation; });
  if (outcomes[0].error) std::rethrow_exception(outcomes[0].error);
  return std::move(outcomes[0].result);
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
