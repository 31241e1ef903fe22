#include "process/pool.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <list>
#include <optional>
#include <sys/resource.h>
#include <unistd.h>

#include "process/child_process.h"

namespace edgenpu::process {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Job {
  std::int64_t number;
  ChildProcess process;
  Clock::time_point started;
  bool timed_out = false;
};

// A child holds one descriptor here, and what a job opens needs some, too.
int spare_descriptors() {
  constexpr int kReserve = 32;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > 1 << 20) return 1 << 20;
  return std::max(1, static_cast<int>(limit.rlim_cur) - kReserve);
}

Finished finish(Job& job, const JobLimits& limits) {
  Answer answer = job.process.answer();
  Finished f;
  f.job = job.number;
  f.outcome = std::move(answer.outcome);
  if (job.timed_out)
    f.outcome =
        WhyNot{Failure::timed_out, fmt::format("took longer than its limit of {} s", limits.timeout_s)};
  else if (!f.outcome && f.outcome.why().kind == Failure::out_of_memory && limits.memory_B > 0)
    f.outcome = WhyNot{Failure::out_of_memory,
                       fmt::format("out of memory: the limit is {} MiB", limits.memory_B >> 20)};
  f.cpu_s = answer.cpu_s;
  f.wall_s = seconds_since(job.started);
  f.peak_rss_B = answer.peak_rss_B;
  return f;
}

// Milliseconds until the first child is late; -1: none can be.
int patience(const std::list<Job>& jobs, const JobLimits& limits) {
  if (limits.timeout_s <= 0) return -1;
  double least = 1e6;
  for (const Job& j : jobs)
    if (!j.timed_out) least = std::min(least, limits.timeout_s - seconds_since(j.started));
  return static_cast<int>(std::clamp(least, 0.0, 1e6) * 1e3) + 1;
}

void kill_late(std::list<Job>& jobs, const JobLimits& limits) {
  if (limits.timeout_s <= 0) return;
  for (Job& j : jobs) {
    if (j.timed_out || seconds_since(j.started) < limits.timeout_s) continue;
    j.timed_out = true;
    j.process.kill();
  }
}

void wait_for_some(std::list<Job>& jobs, const JobLimits& limits,
                   const std::function<void(Finished)>& on_finished) {
  std::vector<const ChildProcess*> processes;
  for (const Job& j : jobs) processes.push_back(&j.process);
  const std::vector<bool> ready = wait_for(processes, patience(jobs, limits));
  kill_late(jobs, limits);
  std::size_t i = 0;
  for (auto j = jobs.begin(); j != jobs.end(); ++i) {
    if (ready[i] && !j->process.receive()) {
      on_finished(finish(*j, limits));
      j = jobs.erase(j);
    } else {
      ++j;
    }
  }
}

// False if the system has no room for one more beside the others.
bool start(std::int64_t number, const Work& work, const JobLimits& limits, std::list<Job>& running) {
  try {
    running.push_back({number, ChildProcess(work, limits.memory_B), Clock::now()});
    return true;
  } catch (const NoProcess&) {
    if (running.empty()) throw;
    return false;
  }
}

}  // namespace

int processors() {
  return std::max(1, static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)));
}

void run_pool(const std::vector<std::int64_t>& jobs, int width, const JobLimits& limits,
              const std::function<Work(std::int64_t)>& prepare,
              const std::function<void(Finished)>& on_finished) {
  std::list<Job> running;
  width = std::max(1, std::min(width, spare_descriptors()));
  for (const std::int64_t number : jobs) {
    while (static_cast<int>(running.size()) >= width) wait_for_some(running, limits, on_finished);
    const Outcome<Work> work = attempt([&] { return prepare(number); });
    if (!work) {
      on_finished({number, work.why()});
      continue;
    }
    while (!start(number, *work, limits, running)) {
      width = static_cast<int>(running.size());  // as many as there is room for
      wait_for_some(running, limits, on_finished);
    }
  }
  while (!running.empty()) wait_for_some(running, limits, on_finished);
}

}  // namespace edgenpu::process
