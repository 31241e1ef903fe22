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

std::string text_of(const Job& job, const Answer& answer, const JobLimits& limits) {
  if (job.timed_out) return fmt::format("took longer than its limit of {} s", limits.timeout_s);
  if (answer.kind == Answer::Kind::out_of_memory && limits.memory_B > 0)
    return fmt::format("out of memory: the limit is {} MiB", limits.memory_B >> 20);
  return answer.text;
}

Finished finish(Job& job, const JobLimits& limits) {
  const Answer answer = job.process.answer();
  Finished f;
  f.job = job.number;
  f.ok = !job.timed_out && answer.kind == Answer::Kind::returned;
  f.text = text_of(job, answer, limits);
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

}  // namespace

int processors() {
  return std::max(1, static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)));
}

void run_pool(const std::vector<std::int64_t>& jobs, int width, const JobLimits& limits,
              const std::function<std::string(std::int64_t)>& work,
              const std::function<void(Finished)>& on_finished) {
  std::list<Job> running;
  width = std::min(width, spare_descriptors());
  std::size_t next = 0;
  while (next < jobs.size() || !running.empty()) {
    while (next < jobs.size() && static_cast<int>(running.size()) < width) {
      const std::int64_t number = jobs[next];
      try {
        running.push_back(
            {number, ChildProcess([&] { return work(number); }, limits.memory_B), Clock::now()});
        ++next;
      } catch (const NoProcess&) {
        if (running.empty()) throw;
        width = static_cast<int>(running.size());  // as many as there is room for
      }
    }
    wait_for_some(running, limits, on_finished);
  }
}

}  // namespace edgenpu::process
