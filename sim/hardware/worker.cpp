#include "hardware/worker.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"

namespace edgenpu::hardware {

namespace {

// First byte of what the child sends.
constexpr char kResult = 'R', kInfeasible = 'F', kInternal = 'I';

void write_all(int fd, const std::string& bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t n = ::write(fd, bytes.data() + at, bytes.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) ::_exit(1);
    at += static_cast<std::size_t>(n);
  }
}

[[noreturn]] void child(int fd, const Simulation& simulation) {
  std::string message;
  try {
    message = kResult + activity::to_bytes(simulation());
  } catch (const InfeasibleError& e) {
    message = kInfeasible + std::string(e.what());
  } catch (const std::exception& e) {
    message = kInternal + std::string(e.what());
  }
  write_all(fd, message);
  ::close(fd);
  // No destructors or atexit handlers of the parent's state: they are the parent's business.
  ::_exit(0);
}

WorkerResult with_usage(activity::Snapshot snapshot, const rusage& usage) {
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return {std::move(snapshot), seconds(usage.ru_utime) + seconds(usage.ru_stime),
          static_cast<std::int64_t>(usage.ru_maxrss) * 1024};
}

struct Child {
  std::size_t number;
  pid_t pid;
  int fd;
  std::string bytes;
};

Child start(std::size_t number, const Simulation& simulation) {
  int fds[2];
  if (::pipe(fds) != 0) throw InternalError(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  std::fflush(nullptr);
  const pid_t pid = ::fork();
  if (pid < 0) {
    ::close(fds[0]);
    ::close(fds[1]);
    throw InternalError(fmt::format("cannot fork: {}", std::strerror(errno)));
  }
  if (pid == 0) {
    ::close(fds[0]);
    child(fds[1], simulation);
  }
  ::close(fds[1]);
  return {number, pid, fds[0], {}};
}

// False at the end of what the child sends.
bool read_some(Child& c) {
  char buffer[1 << 16];
  const ssize_t n = ::read(c.fd, buffer, sizeof buffer);
  if (n < 0 && errno == EINTR) return true;
  if (n <= 0) return false;
  c.bytes.append(buffer, static_cast<std::size_t>(n));
  return true;
}

WorkerResult collect(Child& c) {
  ::close(c.fd);
  int status = 0;
  rusage usage{};
  while (::wait4(c.pid, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status))
    throw InternalError(fmt::format("the simulation died: {}", ::strsignal(WTERMSIG(status))));
  if (c.bytes.empty()) throw InternalError("the simulation ended without a result");
  const std::string body = c.bytes.substr(1);
  if (c.bytes[0] == kInfeasible) throw InfeasibleError(body);
  if (c.bytes[0] != kResult) throw InternalError(body);
  return with_usage(activity::from_bytes(body), usage);
}

// Waits until something has come from at least one child; moves those that have ended into `outcomes`.
void gather(std::vector<Child>& children, std::vector<WorkerOutcome>& outcomes) {
  std::vector<pollfd> polled;
  for (const Child& c : children) polled.push_back({c.fd, POLLIN, 0});
  if (::poll(polled.data(), polled.size(), -1) < 0) return;  // interrupted: asked again
  for (std::size_t i = children.size(); i-- > 0;) {
    if (polled[i].revents == 0 || read_some(children[i])) continue;
    WorkerOutcome& outcome = outcomes[children[i].number];
    try {
      outcome.result = collect(children[i]);
    } catch (...) {
      outcome.error = std::current_exception();
    }
    children.erase(children.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

}  // namespace

std::vector<WorkerOutcome> run_in_workers(std::size_t n, int jobs,
                                          const std::function<Simulation(std::size_t)>& prepare) {
  std::vector<WorkerOutcome> outcomes(n);
  std::vector<Child> children;
  for (std::size_t i = 0; i < n; ++i) {
    while (static_cast<int>(children.size()) >= jobs) gather(children, outcomes);
    try {
      children.push_back(start(i, prepare(i)));
    } catch (...) {
      outcomes[i].error = std::current_exception();
    }
  }
  while (!children.empty()) gather(children, outcomes);
  return outcomes;
}

WorkerResult run_in_worker(const Simulation& simulation) {
  std::vector<WorkerOutcome> outcomes = run_in_workers(1, 1, [&](std::size_t) { return simulation; });
  if (outcomes[0].error) std::rethrow_exception(outcomes[0].error);
  return std::move(outcomes[0].result);
}

int processors() {
  return std::max(1, static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)));
}

WorkerResult run_here(const Simulation& simulation) {
  activity::Snapshot snapshot = simulation();
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return with_usage(std::move(snapshot), usage);
}

}  // namespace edgenpu::hardware
