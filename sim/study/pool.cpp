#include "study/pool.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <list>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"

namespace edgenpu::study {

namespace {

using Clock = std::chrono::steady_clock;

constexpr char kReturned = 'R', kThrown = 'T';

// The address sanitizer reserves terabytes for its shadow, so a limit of address space cannot be held there.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kCanLimitMemory = false;
#else
constexpr bool kCanLimitMemory = true;
#endif

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double seconds(const timeval& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
}

struct Child {
  std::int64_t job;
  pid_t pid;
  int fd;
  Clock::time_point started;
  std::string received;
  bool timed_out = false;
};

[[noreturn]] void run_child(int fd, std::int64_t job, const JobLimits& limits,
                            const std::function<std::string(std::int64_t)>& work) {
  std::string message;
  try {
    if (kCanLimitMemory && limits.memory_B > 0) {
      const auto bytes = static_cast<rlim_t>(limits.memory_B);
      const rlimit limit{bytes, bytes};
      ::setrlimit(RLIMIT_AS, &limit);
    }
    message = kReturned + work(job);
  } catch (const std::bad_alloc&) {
    message = kThrown + fmt::format("out of memory: the limit is {} MiB", limits.memory_B >> 20);
  } catch (const std::exception& e) {
    message = kThrown + std::string(e.what());
  }
  write_all(fd, message);
  ::_exit(0);
}

Child start(std::int64_t job, const JobLimits& limits, const std::function<std::string(std::int64_t)>& work,
            const std::list<Child>& others) {
  int fds[2];
  if (::pipe(fds) != 0) throw InternalError(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) throw InternalError(fmt::format("cannot fork: {}", std::strerror(errno)));
  if (pid == 0) {
    die_with_parent(parent);
    ::close(fds[0]);
    for (const Child& c : others) ::close(c.fd);
    run_child(fds[1], job, limits, work);
  }
  ::close(fds[1]);
  return {job, pid, fds[0], Clock::now(), {}};
}

std::string ended_by(const Child& child, int status, const JobLimits& limits) {
  if (child.timed_out) return fmt::format("took longer than its limit of {} s", limits.timeout_s);
  if (!WIFSIGNALED(status)) return "ended without a result";
  const int signal = WTERMSIG(status);
  return fmt::format("died: {}{}", ::strsignal(signal),
                     signal == SIGKILL ? " (by the system when memory runs out)" : "");
}

Finished finish(const Child& child, const JobLimits& limits) {
  int status = 0;
  rusage usage{};
  while (::wait4(child.pid, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  ::close(child.fd);
  Finished f;
  f.job = child.job;
  f.cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  f.wall_s = seconds_since(child.started);
  f.peak_rss_B = static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
  const bool sent = WIFEXITED(status) && !child.received.empty();
  f.ok = sent && child.received[0] == kReturned;
  f.text = sent ? child.received.substr(1) : ended_by(child, status, limits);
  return f;
}

// Milliseconds until the first child is late; -1: none can be.
int patience(const std::list<Child>& children, const JobLimits& limits) {
  if (limits.timeout_s <= 0) return -1;
  double least = 1e6;
  for (const Child& c : children)
    if (!c.timed_out) least = std::min(least, limits.timeout_s - seconds_since(c.started));
  return static_cast<int>(std::clamp(least, 0.0, 1e6) * 1e3) + 1;
}

void kill_late(std::list<Child>& children, const JobLimits& limits) {
  if (limits.timeout_s <= 0) return;
  for (Child& c : children) {
    if (c.timed_out || seconds_since(c.started) < limits.timeout_s) continue;
    c.timed_out = true;
    ::kill(c.pid, SIGKILL);
  }
}

// Reads what is there; true at the end.
bool receive(Child& child) {
  char buffer[1 << 16];
  const ssize_t n = ::read(child.fd, buffer, sizeof buffer);
  if (n < 0) return errno != EINTR && errno != EAGAIN;
  child.received.append(buffer, static_cast<std::size_t>(n));
  return n == 0;
}

void wait_for_some(std::list<Child>& children, const JobLimits& limits,
                   const std::function<void(Finished)>& on_finished) {
  std::vector<pollfd> polled;
  for (const Child& c : children) polled.push_back({c.fd, POLLIN, 0});
  ::poll(polled.data(), polled.size(), patience(children, limits));
  kill_late(children, limits);
  std::size_t i = 0;
  for (auto c = children.begin(); c != children.end(); ++i) {
    if ((polled[i].revents & (POLLIN | POLLHUP | POLLERR)) != 0 && receive(*c)) {
      on_finished(finish(*c, limits));
      c = children.erase(c);
    } else {
      ++c;
    }
  }
}

}  // namespace

void run_pool(const std::vector<std::int64_t>& jobs, int width, const JobLimits& limits,
              const std::function<std::string(std::int64_t)>& work,
              const std::function<void(Finished)>& on_finished) {
  std::list<Child> children;
  std::fflush(nullptr);
  std::size_t next = 0;
  while (next < jobs.size() || !children.empty()) {
    while (next < jobs.size() && static_cast<int>(children.size()) < width)
      children.push_back(start(jobs[next++], limits, work, children));
    wait_for_some(children, limits, on_finished);
  }
}

void die_with_parent(int parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // it died before the request
}

bool write_all(int fd, const std::string& bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t n = ::write(fd, bytes.data() + at, bytes.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace edgenpu::study
