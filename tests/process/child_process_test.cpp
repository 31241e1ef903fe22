#include "process/child_process.h"

#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

namespace edgenpu::process {
namespace {

using ::testing::HasSubstr;

Answer answer_of(const std::function<std::string()>& work, std::int64_t memory_B = 0) {
  ChildProcess child(work, memory_B);
  while (child.receive()) {
  }
  return child.answer();
}

TEST(ChildProcess, BringsBackWhatItsWorkReturns) {
  const Answer a = answer_of([] { return std::string(300'000, 'x') + '\0' + "y"; });
  ASSERT_TRUE(a.outcome);
  EXPECT_EQ(a.outcome->size(), 300'002u);
  EXPECT_GT(a.peak_rss_B, 0);
}

TEST(ChildProcess, HandsOverPartsBeforeItEndsAndItsAnswerAfterThem) {
  ChildProcess child([](const SendPart& send) {
    for (int i = 0; i < 3; ++i) send(std::string(100'000, static_cast<char>('a' + i)) + '\0');
    return std::string("end");
  });
  std::vector<std::string> parts;
  while (child.receive())
    for (const std::string& part : child.take_parts()) parts.push_back(part);
  ASSERT_EQ(parts.size(), 3u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(parts[i], std::string(100'000, static_cast<char>('a' + i)) + '\0');
  EXPECT_EQ(child.answer().outcome.value(), "end");
}

TEST(ChildProcess, ThatEndsBehindAPartHasNotAnswered) {
  ChildProcess child([](const SendPart& send) -> std::string {
    send("part");
    ::_exit(0);
  });
  while (child.receive()) {
  }
  const Answer a = child.answer();
  EXPECT_EQ(a.outcome.why().kind, Failure::lost);
  EXPECT_EQ(a.outcome.why().text, "ended without a result");
}

TEST(ChildProcess, SaysWhatWentWrongAfterItsParts) {
  ChildProcess child([](const SendPart& send) -> std::string {
    send("part");
    throw InternalError("behind it");
  });
  while (child.receive()) {
  }
  EXPECT_EQ(child.take_parts(), std::vector<std::string>{"part"});
  const Answer a = child.answer();
  EXPECT_EQ(a.outcome.why().kind, Failure::ours);
  EXPECT_THAT(a.outcome.why().text, HasSubstr("behind it"));
}

TEST(ChildProcess, TellsTheKindsOfErrorsApart) {
  const Answer infeasible = answer_of([]() -> std::string { throw InfeasibleError("too large"); });
  EXPECT_EQ(infeasible.outcome.why().kind, Failure::infeasible);
  EXPECT_EQ(infeasible.outcome.why().text, "too large");
  const Answer input = answer_of([]() -> std::string { throw InputError(Position{"f", 1, 2}, "bad"); });
  EXPECT_EQ(input.outcome.why().kind, Failure::refused);
  EXPECT_EQ(input.outcome.why().text, "f:1:2: bad");
  EXPECT_EQ(answer_of([]() -> std::string { throw InternalError("x"); }).outcome.why().kind, Failure::ours);
}

TEST(ChildProcess, SaysOfWhatItDied) {
  const Answer a = answer_of([]() -> std::string {
    ::raise(SIGKILL);
    return "";
  });
  EXPECT_EQ(a.outcome.why().kind, Failure::lost);
  EXPECT_EQ(a.signal, SIGKILL);
  EXPECT_EQ(a.outcome.why().text, "died: Killed (by the system when memory runs out)");
  EXPECT_EQ(answer_of([]() -> std::string { ::_exit(0); }).outcome.why().text, "ended without a result");
}

#if !defined(__SANITIZE_ADDRESS__)  // its shadow alone is larger than any limit
TEST(ChildProcess, SaysWhatMemoryThereWasWhenItRunsOut) {
  const Answer a = answer_of(
      [] {
        std::vector<std::string> hoard;
        while (true) hoard.emplace_back(std::size_t{64} << 20, 'x');
        return std::string();
      },
      std::int64_t{512} << 20);
  EXPECT_EQ(a.outcome.why().kind, Failure::out_of_memory);
  EXPECT_THAT(a.outcome.why().text, HasSubstr("this process is limited to 512 MiB of address space"));
}
#endif

TEST(ChildProcess, IsGoneWhenItsParentIs) {
  int fds[2];
  ASSERT_EQ(::pipe(fds), 0);
  const pid_t parent = ::fork();
  if (parent == 0) {
    ChildProcess child([]() -> std::string {
      while (true) ::pause();
    });
    ::raise(SIGKILL);
  }
  ::close(fds[1]);
  char byte = 0;
  EXPECT_EQ(::read(fds[0], &byte, 1), 0) << "the end comes when the last process that holds the pipe is gone";
}

TEST(ChildProcess, ThatTheSystemCannotGiveIsRefusedByName) {
  rlimit old{};
  ::getrlimit(RLIMIT_NOFILE, &old);
  const rlimit few{3, old.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &few);
  std::string message;
  try {
    const ChildProcess child([] { return std::string(); });
  } catch (const NoProcess& e) {
    ::setrlimit(RLIMIT_NOFILE, &old);  // the sanitizer looks at objects through a pipe
    message = e.what();
  }
  ::setrlimit(RLIMIT_NOFILE, &old);
  EXPECT_EQ(message, "the system: starts no further process: Too many open files (ulimit -n)");
}

}  // namespace
}  // namespace edgenpu::process
