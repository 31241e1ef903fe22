// Jobs in processes of their own.
#include "process/pool.h"

#include <csignal>
#include <gmock/gmock.h>
#include <map>
#include <unistd.h>

namespace edgenpu::process {
namespace {

using ::testing::HasSubstr;

std::map<std::int64_t, Finished> run(const std::vector<std::int64_t>& jobs, const JobLimits& limits,
                                     const std::function<std::string(std::int64_t)>& work) {
  std::map<std::int64_t, Finished> all;
  run_pool(jobs, 2, limits, work, [&](Finished f) { all[f.job] = std::move(f); });
  return all;
}

TEST(Pool, BringsBackWhatEachJobReturns) {
  const auto all = run({1, 2, 3}, {}, [](std::int64_t job) {
    return std::string(static_cast<std::size_t>(job) * 100'000, 'x');
  });
  ASSERT_EQ(all.size(), 3u);
  for (const auto& [job, f] : all) {
    EXPECT_TRUE(f.ok);
    EXPECT_EQ(f.text.size(), static_cast<std::size_t>(job) * 100'000);
  }
}

TEST(Pool, AnExceptionACrashAndAHangTakeTheirOwnJobOnly) {
  const auto all = run({1, 2, 3, 4}, {0.5, 0}, [](std::int64_t job) -> std::string {
    if (job == 1) throw std::runtime_error("no good");
    if (job == 2) ::raise(SIGKILL);  // a fault would be the sanitizer's
    while (job == 3) ::pause();
    return "fine";
  });
  EXPECT_EQ(all.at(1).text, "no good");
  EXPECT_THAT(all.at(2).text, HasSubstr("died: Killed"));
  EXPECT_EQ(all.at(3).text, "took longer than its limit of 0.5 s");
  EXPECT_FALSE(all.at(1).ok || all.at(2).ok || all.at(3).ok);
  EXPECT_TRUE(all.at(4).ok);
}

#if !defined(__SANITIZE_ADDRESS__)  // its shadow alone is larger than any limit
TEST(Pool, AJobThatExhaustsItsMemorySaysSo) {
  const auto all = run({1}, {0, std::int64_t{1} << 30}, [](std::int64_t) {
    std::vector<std::string> hoard;
    while (true) hoard.emplace_back(std::size_t{64} << 20, 'x');
    return std::string();
  });
  EXPECT_EQ(all.at(1).text, "out of memory: the limit is 1024 MiB");
}
#endif

}  // namespace
}  // namespace edgenpu::process
