#include "process/child_process.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace edgenpu::process {

namespace {

// The address sanitizer reserves terabytes for its shadow, so a limit of address space cannot be held there.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kCanLimitMemory = false;
#else
constexpr bool kCanLimitMemory = true;
#endif

double seconds(const timeval& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
}

void limit_memory(std::int64_t bytes) {
  if (!kCanLimitMemory || bytes <= 0) return;
  const rlimit limit{static_cast<rlim_t>(bytes), static_cast<rlim_t>(bytes)};
  ::setrlimit(RLIMIT_AS, &limit);
}

// Of a frame; the others are kinds of failures.
constexpr char kPart = 'p', kReturned = 'r';
constexpr std::size_t kHead = 1 + sizeof(std::int64_t);

std::string framed(char kind, const std::string& text) {
  const auto length = static_cast<std::int64_t>(text.size());
  std::string frame(1, kind);
  frame.append(reinterpret_cast<const char*>(&length), sizeof length);
  return frame += text;
}

// All of `bytes`, whatever the pipe takes at a time. Nobody reads what a child without a listener writes.
void write_or_end(int fd, const std::string& bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t n = ::write(fd, bytes.data() + at, bytes.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) ::_exit(1);
    at += static_cast<std::size_t>(n);
  }
}

void die_with_parent(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // it died before the request
}

std::string message_of(const std::function<std::string(const SendPart&)>& work, const SendPart& send) {
  const Outcome<std::string> outcome = attempt([&] { return work(send); });
  if (outcome) return framed(kReturned, *outcome);
  return framed(static_cast<char>(outcome.why().kind), outcome.why().text);
}

[[noreturn]] void run_child(int fd, const std::function<std::string(const SendPart&)>& work,
                            std::int64_t memory_B) {
  limit_memory(memory_B);
  const SendPart send = [fd](const std::string& part) { write_or_end(fd, framed(kPart, part)); };
  write_or_end(fd, message_of(work, send));
  ::_exit(0);
}

std::string end_of(int status) {
  if (!WIFSIGNALED(status)) return "ended without a result";
  const int signal = WTERMSIG(status);
  return fmt::format("died: {}{}", ::strsignal(signal),
                     signal == SIGKILL ? " (by the system when memory runs out)" : "");
}

}  // namespace

NoProcess::NoProcess(const std::string& reason)
    : InputError(Position{"the system"}, "starts no further process: " + reason) {}

ChildProcess::ChildProcess(const std::function<std::string()>& work, std::int64_t memory_B)
    : ChildProcess([&work](const SendPart&) { return work(); }, memory_B) {}

ChildProcess::ChildProcess(const std::function<std::string(const SendPart&)>& work, std::int64_t memory_B) {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0) throw NoProcess(fmt::format("{} (ulimit -n)", std::strerror(errno)));
  std::fflush(nullptr);
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) {
    const std::string reason = std::strerror(errno);
    ::close(fds[0]);
    ::close(fds[1]);
    throw NoProcess(reason + " (ulimit -u)");
  }
  if (pid_ == 0) {
    die_with_parent(parent);
    ::close(fds[0]);
    run_child(fds[1], work, memory_B);
  }
  ::close(fds[1]);
  fd_ = fds[0];
}

ChildProcess::~ChildProcess() {
  release();
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      fd_(std::exchange(other.fd_, -1)),
      received_(std::move(other.received_)) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  release();
  pid_ = std::exchange(other.pid_, -1);
  fd_ = std::exchange(other.fd_, -1);
  received_ = std::move(other.received_);
  return *this;
}

void ChildProcess::release() {
  if (fd_ >= 0) ::close(fd_);
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
}

bool ChildProcess::receive() {
  char buffer[1 << 16];
  const ssize_t n = ::read(fd_, buffer, sizeof buffer);
  if (n < 0) return errno == EINTR || errno == EAGAIN;
  received_.append(buffer, static_cast<std::size_t>(n));
  return n > 0;
}

std::vector<ChildProcess::Frame> ChildProcess::take_frames() {
  std::vector<Frame> frames;
  std::size_t at = 0;
  while (received_.size() - at >= kHead) {
    std::int64_t length = 0;
    std::memcpy(&length, received_.data() + at + 1, sizeof length);
    if (received_.size() - at - kHead < static_cast<std::size_t>(length)) break;
    frames.push_back({received_[at], received_.substr(at + kHead, static_cast<std::size_t>(length))});
    at += kHead + static_cast<std::size_t>(length);
  }
  received_.erase(0, at);
  return frames;
}

std::vector<std::string> ChildProcess::take_parts() {
  std::vector<std::string> parts;
  for (Frame& f : take_frames())
    if (f.kind == kPart)
      parts.push_back(std::move(f.text));
    else
      received_ = framed(f.kind, f.text);  // the answer, behind which nothing comes
  return parts;
}

Answer ChildProcess::answer() {
  int status = 0;
  rusage usage{};
  while (::wait4(pid_, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  Answer a;
  a.cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  a.peak_rss_B = static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
  if (WIFSIGNALED(status)) a.signal = WTERMSIG(status);
  std::vector<Frame> frames = take_frames();
  const bool sent =
      WIFEXITED(status) && WEXITSTATUS(status) == 0 && !frames.empty() && frames.back().kind != kPart;
  if (!sent)
    a.outcome = WhyNot{Failure::lost, end_of(status)};
  else if (frames.back().kind == kReturned)
    a.outcome = std::move(frames.back().text);
  else
    a.outcome = WhyNot{static_cast<Failure>(frames.back().kind), std::move(frames.back().text)};
  return a;
}

void ChildProcess::kill() const {
  if (pid_ > 0) ::kill(pid_, SIGKILL);
}

std::vector<bool> wait_for(const std::vector<const ChildProcess*>& children, int timeout_ms) {
  std::vector<pollfd> polled;
  for (const ChildProcess* c : children) polled.push_back({c->fd_, POLLIN, 0});
  std::vector<bool> ready(children.size(), false);
  if (::poll(polled.data(), polled.size(), timeout_ms) <= 0) return ready;
  for (std::size_t i = 0; i < polled.size(); ++i) ready[i] = polled[i].revents != 0;
  return ready;
}

}  // namespace edgenpu::process
