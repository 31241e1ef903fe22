// Jobs in processes of their own.
#include "process/pool.h"

#include <csignal>
#include <gmock/gmock.h>
#include <map>
#include <unistd.h>

#include "base/error.h"

namespace edgenpu::process {
namespace {

using ::testing::HasSubstr;

std::map<std::int64_t, Finished> run(const std::vector<std::int64_t>& jobs, const JobLimits& limits,
                                     const std::function<std::string(std::int64_t)>& work) {
  std::map<std::int64_t, Finished> all;
  run_pool(
      jobs, 2, limits, [&](std::int64_t job) -> Work { return [&work, job] { return work(job); }; },
      [&](Finished f) { all[f.job] = std::move(f); });
  return all;
}

TEST(Pool, BringsBackWhatEachJobReturns) {
  const auto all = run({1, 2, 3}, {}, [](std::int64_t job) {
    return std::string(static_cast<std::size_t>(job) * 100'000, 'x');
  });
  ASSERT_EQ(all.size(), 3u);
  for (const auto& [job, f] : all) {
    ASSERT_TRUE(f.outcome);
    EXPECT_EQ(f.outcome->size(), static_cast<std::size_t>(job) * 100'000);
  }
}

TEST(Pool, AnExceptionACrashAndAHangTakeTheirOwnJobOnly) {
  const auto all = run({1, 2, 3, 4}, {0.5, 0}, [](std::int64_t job) -> std::string {
    if (job == 1) throw std::runtime_error("no good");
    if (job == 2) ::raise(SIGKILL);  // a fault would be the sanitizer's
    while (job == 3) ::pause();
    return "fine";
  });
  EXPECT_EQ(all.at(1).outcome.why().text, "no good");
  EXPECT_THAT(all.at(2).outcome.why().text, HasSubstr("died: Killed"));
  EXPECT_EQ(all.at(3).outcome.why().text, "took longer than its limit of 0.5 s");
  EXPECT_EQ(all.at(1).outcome.why().kind, Failure::ours);
  EXPECT_EQ(all.at(2).outcome.why().kind, Failure::lost);
  EXPECT_EQ(all.at(3).outcome.why().kind, Failure::timed_out);
  EXPECT_TRUE(all.at(4).outcome);
}

TEST(Pool, AJobThatCannotBePreparedIsAnOutcomeAndTheOthersRun) {
  std::map<std::int64_t, Finished> all;
  run_pool(
      {1, 2, 3}, 2, {},
      [](std::int64_t job) -> Work {
        if (job == 2) throw InfeasibleError("too large");
        return [] { return std::string("fine"); };
      },
      [&](Finished f) { all[f.job] = std::move(f); });
  EXPECT_EQ(all.at(1).outcome.value(), "fine");
  EXPECT_EQ(all.at(2).outcome.why().kind, Failure::infeasible);
  EXPECT_EQ(all.at(2).outcome.why().text, "too large");
  EXPECT_EQ(all.at(3).outcome.value(), "fine");
}

#if !defined(__SANITIZE_ADDRESS__)  // its shadow alone is larger than any limit
TEST(Pool, AJobThatExhaustsItsMemorySaysSo) {
  const auto all = run({1}, {0, std::int64_t{1} << 30}, [](std::int64_t) {
    std::vector<std::string> hoard;
    while (true) hoard.emplace_back(std::size_t{64} << 20, 'x');
    return std::string();
  });
  EXPECT_EQ(all.at(1).outcome.why().text, "out of memory: the limit is 1024 MiB");
}
#endif

}  // namespace
}  // namespace edgenpu::process
