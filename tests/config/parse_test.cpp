// Texts that are no description: bombs, endless maps, other encodings, pipes and devices.
#include <ctime>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/value.h"

namespace edgenpu::config {
namespace {

using ::testing::HasSubstr;

std::string refusal(const std::string& text) {
  try {
    parse_text(text, "x.yaml");
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(Parse, AnAliasIsWhatItsAnchorNames) {
  const Value v = parse_text("a: &a {b: [1, \"2\"]}\nc: *a\nd: [&e ~, *e]\n", "x");
  EXPECT_EQ(canonical_text(*v.find("a")), canonical_text(*v.find("c")));
  EXPECT_TRUE(v.find("c")->find("b")->items()[1].quoted());
  EXPECT_EQ(v.find("d")->items()[1].text(), "");
}

TEST(Parse, AliasesOfAliasesAreRefusedWhereTheyGrowTooLarge) {
  std::string bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string below = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + below;
    for (int n = 1; n < 10; ++n) bomb += "," + below;
    bomb += "]\n";
  }
  EXPECT_THAT(refusal(bomb), HasSubstr("x.yaml:6:"));
  EXPECT_THAT(refusal(bomb), HasSubstr("more than 1000000 values up to here"));
}

TEST(Parse, AnchorsAroundAnchorsCountAsOftenAsTheyAreKept) {
  std::string text;
  for (int i = 0; i < 60; ++i) text += "&a" + std::to_string(i) + " [";
  for (int i = 0; i < 20'000; ++i) text += "x,";
  text += "x" + std::string(60, ']');
  EXPECT_THAT(refusal(text), HasSubstr("more than 1000000 values up to here"));
}

TEST(Parse, AnAliasOfWhatItStandsInIsRefused) {
  EXPECT_EQ(refusal("a: &a [1, *a]\n"), "x.yaml:1:11: an alias of what it stands in");
}

TEST(Parse, AliasesDoNotNestDeeperThanTexts) {
  std::string text = "a0: &a0 [x]\n";
  for (int i = 1; i < 80; ++i)
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + "]\n";
  EXPECT_THAT(refusal(text), HasSubstr("nested more than 64 levels deep"));
}

TEST(Parse, AMapOfVeryManyKeysIsRefusedAtOnce) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += "k" + std::to_string(i) + ": 1\n";
  const std::clock_t begin = std::clock();
  EXPECT_EQ(refusal(text), "x.yaml:100001:1: more than 100000 keys in one map");
  EXPECT_LT(std::clock() - begin, 4 * CLOCKS_PER_SEC) << "in the square of the keys it takes minutes";
}

TEST(Parse, AMapWithAKeyForEachMatrixOfALargeMixtureIsRead) {
  std::string text;
  for (int layer = 0; layer < 61; ++layer)
    for (int expert = 0; expert < 384; ++expert)
      for (const char* name : {"gate", "up", "down"})
        text += fmt::format("model.layers.{}.mlp.experts.{}.{}_proj: 1\n", layer, expert, name);
  const std::clock_t begin = std::clock();
  EXPECT_EQ(refusal(text), "");
  EXPECT_LT(std::clock() - begin, 4 * CLOCKS_PER_SEC) << "in the square of the keys it takes minutes";
}

TEST(Parse, AllDuplicatesAndKeysThatAreNoTextAreNamed) {
  const std::string errors = refusal("a: 1\nb: {c: 1, c: {d: 2}}\na: 3\n[x]: 4\n");
  EXPECT_THAT(errors, HasSubstr("x.yaml:2:11: duplicate key 'c'"));
  EXPECT_THAT(errors, HasSubstr("x.yaml:3:1: duplicate key 'a'"));
  EXPECT_THAT(errors, HasSubstr("x.yaml:4:1: a key must be plain text"));
}

TEST(Parse, TextThatIsNotUtf8IsRefusedWithItsPosition) {
  EXPECT_EQ(refusal("a: \xc3\xa4\nb: \xc3\xa4 \xff\n"),
            "x.yaml:2:6: found the byte \\xff; only UTF-8 is allowed");
  EXPECT_THAT(refusal(std::string("\xff\xfe") + "a\0:\0"), HasSubstr("x.yaml:1:1: found the byte \\xff"));
  EXPECT_EQ(refusal("\xef\xbb\xbf"
                    "a: 1\n"),
            "")
      << "the mark of UTF-8 is allowed";
}

TEST(Parse, ADeviceIsNoFile) {
  for (const char* path : {"/dev/zero", "/dev/null", "/dev/urandom"}) {
    try {
      parse_file(path);
      FAIL();
    } catch (const InputError& e) {
      EXPECT_EQ(std::string(e.what()), std::string(path) + ": cannot read this file: it is a device");
    }
  }
}

class Pipes : public ::testing::Test {
 protected:
  Pipes() {
    ::unlink(path_.c_str());
    ::mkfifo(path_.c_str(), 0600);
  }
  ~Pipes() override { ::unlink(path_.c_str()); }
  const std::string path_ = ::testing::TempDir() + "edgenpu_pipe_" + std::to_string(::getpid());
};

TEST_F(Pipes, AreReadWhereSomebodyWrites) {
  const std::string path = path_;
  if (::fork() == 0) {
    std::FILE* pipe = std::fopen(path.c_str(), "w");
    std::fputs("a: ", pipe);
    std::fflush(pipe);
    ::usleep(20'000);
    std::fputs("1\n", pipe);
    std::fclose(pipe);
    ::_exit(0);
  }
  EXPECT_EQ(parse_file(path).find("a")->text(), "1");
}

TEST_F(Pipes, WithoutAPartnerAreRefused) {
  try {
    parse_file(path_);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr("cannot read this file: it is a pipe that nobody writes to"));
  }
}

}  // namespace
}  // namespace edgenpu::config
