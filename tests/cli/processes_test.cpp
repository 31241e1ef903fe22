// What becomes of the tool's processes, memory and standard output when the world is against it.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>

#include "cli/child.h"

namespace {

namespace fs = std::filesystem;
using edgenpu::test::Child;
using edgenpu::test::Ended;
using ::testing::HasSubstr;
using Arguments = std::vector<std::string>;

const Arguments kNpu = {"--hardware", "hw_configs/npu/npu-raiderchip-asic.yaml", "--model", "smollm2-135m"};

// The first child of a process; 0: none yet.
pid_t child_of(pid_t parent) {
  const std::string id = std::to_string(parent);
  std::ifstream children("/proc/" + id + "/task/" + id + "/children");
  pid_t child = 0;
  children >> child;
  return child;
}

// Gone, or dead and not fetched yet.
bool ended(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string word, state;
  return !(stat >> word >> word >> state) || state == "Z" || state == "X";
}

template <class Condition>
bool comes_true(Condition condition) {
  for (int i = 0; i < 3000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

class Killed : public ::testing::TestWithParam<std::pair<const char*, int>> {};

TEST_P(Killed, RunsAndExplanationsLeaveNoWorkerBehind) {
  for (const char* command : {"run", "explain"}) {
    Child tool({command, "--hardware", "hw_configs/cpu/cpu-rk3588.yaml", "--model", "llama-3.1-8b",
                "--repeat", "full", "--detail", "burst"});
    pid_t worker = 0;
    ASSERT_TRUE(comes_true([&] { return (worker = child_of(tool.pid())) != 0; })) << command;
    ::kill(tool.pid(), GetParam().second);
    EXPECT_EQ(tool.wait().signal, GetParam().second);
    EXPECT_TRUE(comes_true([&] { return ended(worker); })) << command;
  }
}

INSTANTIATE_TEST_SUITE_P(Signals, Killed,
                         ::testing::Values(std::pair{"term", SIGTERM}, std::pair{"hup", SIGHUP},
                                           std::pair{"kill", SIGKILL}),
                         [](const auto& info) { return std::string(info.param.first); });

void expect_not_written(const Arguments& arguments, const std::function<void()>& prepare) {
  SCOPED_TRACE(::testing::PrintToString(arguments));
  const Ended e = Child(arguments, prepare).wait();
  EXPECT_EQ(e.exit_code, 2);
  EXPECT_THAT(e.errors, HasSubstr("standard output: cannot write here: "));
}

const std::vector<Arguments> kTexts = {
    {"--help"},
    {"--version"},
    {"trace", "show", "traces/tiny.yaml"},
    {"trace", "generate", "--model", "llama-3.2-1b"},
    {"plan", "--hardware", "hw_configs/npu/npu-raiderchip-asic.yaml", "--model", "llama-3.2-1b"},
    {"run", "--hardware", "hw_configs/npu/npu-raiderchip-asic.yaml", "--trace", "traces/tiny.yaml"},
    {"memory", "--memory", "lpddr5-6400", "--pattern", "seq_rd", "--requests", "100"},
    {"numerics", "--gguf", "tests/data/tiny_models/tiny_llama.Q4_K_M.gguf", "--tokens", "1"},
    {"sweep", "hw_configs/studies/channels-refresh.yaml", "--dry-run"}};

TEST(StandardOutput, ThatTakesNothingEndsEveryCommandWithAnError) {
  std::vector<Arguments> all = kTexts;
  for (const char* command : {"run", "plan", "explain", "compare", "validate", "calibrate", "trace", "memory",
                              "numerics", "power", "sweep", "results"})
    all.push_back({command, "--help"});
  for (const Arguments& arguments : all)
    expect_not_written(arguments, [] { ::dup2(::open("/dev/full", O_WRONLY), STDOUT_FILENO); });
}

TEST(StandardOutput, ThatIsClosedLendsItsNumberToNoFile) {
  for (const Arguments& arguments : {kTexts[1], kTexts[2]})
    expect_not_written(arguments, [] { ::close(STDOUT_FILENO); });
}

#if !defined(__SANITIZE_ADDRESS__)  // its shadow alone is larger than any limit
Arguments with(Arguments arguments, const Arguments& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

void limit_memory(rlim_t MiB) {
  const rlimit limit{MiB << 20, MiB << 20};
  ::setrlimit(RLIMIT_AS, &limit);
}

TEST(Memory, ThatRunsOutIsInfeasibleWithWhatThereWas) {
  const Ended e =
      Child(with({"run", "--phase", "prefill", "--prompt", "2048"}, kNpu), [] { limit_memory(160); }).wait();
  EXPECT_EQ(e.exit_code, 3);
  EXPECT_THAT(e.errors, HasSubstr("infeasible: out of memory: "));
  EXPECT_THAT(e.errors, HasSubstr("this process is limited to 160 MiB of address space"));
}

TEST(Memory, ThatAPromptCannotHaveIsToldBeforeItRuns) {
  const Ended e = Child(with({"run", "--phase", "prefill", "--prompt", "20000"}, kNpu), [] {
                    limit_memory(2048);
                    const rlimit seconds{5, 5};  // of CPU; making as much of the program as fits takes longer
                    ::setrlimit(RLIMIT_CPU, &seconds);
                  }).wait();
  EXPECT_EQ(e.exit_code, 3) << e.errors;
  EXPECT_THAT(e.errors,
              ::testing::ContainsRegex("infeasible: a step of [0-9]+ million commands or more needs at "
                                       "least [0-9]+ MiB of memory; this process is limited to 2048 MiB"));
}

// docs/architecture.md states these bounds.
TEST(Memory, OfEachCommandIsBounded) {
  const std::vector<std::pair<rlim_t, Arguments>> bounds = {
      {256, with({"run"}, kNpu)},
      {256, with({"plan", "--phase", "prefill", "--prompt", "512"}, kNpu)},
      {256, {"trace", "generate", "--model", "llama-3.1-8b"}},
      {256, {"memory", "--memory", "lpddr5-6400", "--pattern", "rand64", "--requests", "20000"}},
      {256, {"numerics", "--gguf", "tests/data/tiny_models/tiny_llama.Q4_K_M.gguf", "--tokens", "1 300 17"}},
      {256, {"sweep", "hw_configs/studies/channels-refresh.yaml", "--dry-run"}}};
  for (const auto& [MiB, arguments] : bounds) {
    SCOPED_TRACE(::testing::PrintToString(arguments));
    const rlim_t limit = MiB;
    const Ended e = Child(arguments, [limit] { limit_memory(limit); }).wait();
    EXPECT_EQ(e.exit_code, 0) << e.errors;
  }
}
#endif

}  // namespace
