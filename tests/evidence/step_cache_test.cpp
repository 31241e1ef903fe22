// Finished steps in a file, and files that are none.
#include "evidence/step_cache.h"

#include <csignal>
#include <gmock/gmock.h>
#include <sys/resource.h>

#include "sweep/study_fixture.h"

namespace edgenpu::evidence {
namespace {

using ::testing::HasSubstr;
using StepCache = test::StudyFolder;

PointResult result(const std::string& platform) {
  return {platform, "llama.cpp-cpu", StepFigures{1.5, 0.25, 0.125, 3, 0.5}};
}

PointResult failed(const std::string& platform, const std::string& text) {
  return {platform, "llama.cpp-cpu", WhyNot{Failure::refused, text}};
}

std::string error_of(const std::string& file) {
  try {
    read_steps(file);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST_F(StepCache, KeepsWhatItIsGivenWhateverStandsInTheNames) {
  for (const char* platform : {"plain", "a\tb", "a\nb", "a\r\nb\x01"}) {
    const std::string file = path("c");
    std::filesystem::remove(file);
    append_step(file, "ab12", to_line(failed(platform, "why\nnot\tso")));
    append_step(file, "cd34", to_line(result("other")));
    const auto steps = read_steps(file);
    ASSERT_EQ(steps.size(), 2u) << platform;
    EXPECT_EQ(steps.at("ab12").platform.size(), std::string(platform).size());
    EXPECT_EQ(steps.at("ab12").figures.why().text, "why not so");
    EXPECT_EQ(steps.at("ab12").figures.why().kind, Failure::refused);
    EXPECT_EQ(steps.at("cd34").figures.value().tokens_per_s, 1.5);
    EXPECT_EQ(steps.at("cd34").platform, "other");
  }
}

TEST_F(StepCache, SkipsLinesThatWereCutOffAndGoesOnBehindThem) {
  const std::string file = write("c", "ab12\t1\t2\t3\t4\t5\tp\tr\t\t\ncd34\t1\t2\t3\t4\t5\tp");
  EXPECT_EQ(read_steps(file).size(), 1u);
  append_step(file, "ef56", to_line(result("p")));
  const auto steps = read_steps(file);
  EXPECT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps.count("ef56"), 1u);
  EXPECT_EQ(read_steps(write("d", "ab1")).size(), 0u);  // the first write was cut off
}

TEST_F(StepCache, LeavesLinesOfOlderBuildsAlone) {
  const std::string file = write("c", "ab12\t1\t2\t3\t4\t5\tp\tr\tinfeasible: no\n");
  EXPECT_EQ(read_steps(file).size(), 0u);
  append_step(file, "cd34", to_line(result("p")));
  EXPECT_EQ(read_steps(file).size(), 1u);
}

TEST_F(StepCache, RefusesFilesThatAreSomethingElse) {
  for (const char* text :
       {"kind: cpu\n", "face\tbook\n", "id\tdecode\n1\t2\n", "ab12\t1\t2\tx\t4\t5\tp\tr\t\t\n", "\n",
        "ab12\tnan\t2\t3\t4\t5\tp\tr\t\t\n", "ab12\t1\t2\t3\t4\t5\tp\tr\twhy\tno kind\n"})
    EXPECT_THAT(error_of(write("c", text)), HasSubstr("c:1:1: this is no file of finished steps")) << text;
  EXPECT_THAT(error_of("/dev/zero"), HasSubstr("a regular file"));
  EXPECT_THAT(error_of(folder.string()), HasSubstr("a regular file"));
  EXPECT_EQ(error_of(path("none")), "");
}

TEST_F(StepCache, SaysThatALineCouldNotBeWrittenAndLeavesNothingOfIt) {
  const std::string file = path("c");
  append_step(file, "ab12", to_line(result("p")));
  const auto size = std::filesystem::file_size(file);
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{size + 10, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  std::string why;
  try {
    append_step(file, "cd34", to_line(result("p")));
  } catch (const InputError& e) {
    why = e.what();
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_THAT(why, HasSubstr("cannot write to this file"));
  EXPECT_EQ(std::filesystem::file_size(file), size);
}

}  // namespace
}  // namespace edgenpu::evidence
