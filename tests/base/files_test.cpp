#include "base/files.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace edgenpu {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Files : public ::testing::Test {
 protected:
  Files() { fs::create_directories(folder_ / "sub"); }
  ~Files() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }
  static std::string refusal(const std::function<void()>& act) {
    try {
      act();
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  }

  const fs::path folder_ =
      fs::temp_directory_path() /
      (std::string("edgenpu_files_") + ::testing::UnitTest::GetInstance()->current_test_info()->name() +
       std::to_string(::getpid()));
};

TEST_F(Files, AreToldFromFoldersDevicesAndNothing) {
  EXPECT_EQ(kind_of(write("a", "x")), PathKind::file);
  EXPECT_EQ(kind_of(path("sub")), PathKind::folder);
  EXPECT_EQ(kind_of("/dev/null"), PathKind::other);
  EXPECT_EQ(kind_of(path("b")), PathKind::absent);
  EXPECT_EQ(kind_of(path("a/b")), PathKind::absent);
}

TEST_F(Files, WhosePathCannotBeFollowedAreRefusedWithTheReason) {
  fs::create_symlink(path("loop"), path("loop"));
  EXPECT_EQ(refusal([&] { kind_of(path("loop")); }), path("loop") + ": Too many levels of symbolic links");
  const std::string name(300, 'a');
  EXPECT_EQ(refusal([&] {
              kind_of(name, Position{"x.yaml", 3, 4});
            }),
            "x.yaml:3:4: " + name + ": File name too long");
}

TEST_F(Files, AreOneThroughLinksAndBeforeTheyAreThere) {
  write("a", "x");
  fs::create_symlink(path("a"), path("link"));
  fs::create_hard_link(path("a"), path("hard"));
  EXPECT_TRUE(same_file(path("a"), path("link")));
  EXPECT_TRUE(same_file(path("hard"), path("sub/../a")));
  EXPECT_TRUE(same_file(path("new"), path("sub/../new")));
  EXPECT_FALSE(same_file(path("new"), path("sub/new")));
  EXPECT_FALSE(same_file(path("new"), path("a")));
}

TEST_F(Files, OfYamlAreListedInOrder) {
  write("b.yaml", "");
  write("a.yaml", "");
  write("a.txt", "");
  EXPECT_THAT(yaml_names(folder_.string()), ElementsAre("a", "b"));
  EXPECT_TRUE(yaml_names(path("none")).empty());
}

TEST_F(Files, LongerThanAllowedAreNotRead) {
  EXPECT_THAT(refusal([&] { read_text(write("a", "12345"), 4); }), HasSubstr("it is longer than 4 bytes"));
  EXPECT_EQ(read_text(path("a"), 5), "12345");
}

TEST_F(Files, ThatAreOutputsAreNotReadAndInputsNotReplaced) {
  const std::string output = write("out", "x"), input = write("in", "y");
  fs::create_symlink(output, path("link"));
  claim_output(output, "--json");
  EXPECT_EQ(refusal([&] { read_text(path("link")); }),
            path("link") + ": is an input and would be overwritten by --json; name another file there");
  read_text(input);
  EXPECT_EQ(refusal([&] { refuse_input(input); }), input + ": is an input and would be overwritten");
}

}  // namespace
}  // namespace edgenpu
