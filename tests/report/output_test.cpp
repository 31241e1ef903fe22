#include "report/output.h"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "report/sample.h"

namespace edgenpu::report {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class Output : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::path(::testing::TempDir()) /
        (std::string("edgenpu_output_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const char* name) const { return (folder_ / name).string(); }
  std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }

  fs::path folder_;
};

TEST_F(Output, ReplacesTheFileAndLeavesNothingBeside) {
  write_output(path("a.json"), "old");
  write_output(path("a.json"), "new");
  EXPECT_EQ(test::slurp(path("a.json")), "new");
  EXPECT_EQ(files(), 1);
}

TEST_F(Output, FollowsALink) {
  write_output(path("a.json"), "old");
  fs::create_symlink(path("a.json"), path("link"));
  write_output(path("link"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(test::slurp(path("a.json")), "new");
}

TEST_F(Output, NamesThePathThatCannotBeWritten) {
  try {
    write_output(path("absent/a.json"), "text");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_EQ(std::string(e.what()),
              path("absent/a.json") + ": cannot write here: there is no folder " + path("absent"));
  }
  EXPECT_EQ(files(), 0);
}

TEST_F(Output, RefusesADirectory) {
  EXPECT_THROW(write_output(folder_.string(), "text"), InputError);
  EXPECT_EQ(files(), 0);
}

TEST_F(Output, ReportsADeviceThatTakesNothing) {
  // A device is written directly: nothing takes its place.
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  EXPECT_THROW(write_output("/dev/full", std::string(1 << 20, 'x')), InputError);
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(Output, GoesToStandardOutputForADash) {
  ::testing::internal::CaptureStdout();
  write_output("-", "text\n");
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "text\n");
}

}  // namespace
}  // namespace edgenpu::report
