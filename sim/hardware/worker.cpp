#include "hardware/worker.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
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

std::string read_all(int fd) {
  std::string bytes;
  char buffer[1 << 16];
  while (true) {
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return bytes;
    bytes.append(buffer, static_cast<std::size_t>(n));
  }
}

[[noreturn]] void child(int fd, const std::function<activity::Snapshot()>& simulation) {
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

}  // namespace

WorkerResult run_in_worker(const std::function<activity::Snapshot()>& simulation) {
  int fds[2];
  if (::pipe(fds) != 0) throw InternalError(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  std::fflush(nullptr);
  const pid_t pid = ::fork();
  if (pid < 0) throw InternalError(fmt::format("cannot fork: {}", std::strerror(errno)));
  if (pid == 0) {
    ::close(fds[0]);
    child(fds[1], simulation);
  }
  ::close(fds[1]);
  const std::string bytes = read_all(fds[0]);
  ::close(fds[0]);
  int status = 0;
  rusage usage{};
  while (::wait4(pid, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status))
    throw InternalError(fmt::format("the simulation died: {}", ::strsignal(WTERMSIG(status))));
  if (bytes.empty()) throw InternalError("the simulation ended without a result");
  const std::string body = bytes.substr(1);
  if (bytes[0] == kInfeasible) throw InfeasibleError(body);
  if (bytes[0] != kResult) throw InternalError(body);
  return with_usage(activity::from_bytes(body), usage);
}

WorkerResult run_here(const std::function<activity::Snapshot()>& simulation) {
  activity::Snapshot snapshot = simulation();
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return with_usage(std::move(snapshot), usage);
}

}  // namespace edgenpu::hardware
