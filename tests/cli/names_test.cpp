// Names and texts of others: inert on terminals, in lines and as words of a command line.
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "cli/command_line.h"

namespace {

namespace fs = std::filesystem;
using edgenpu::test::edgenpu;
using edgenpu::test::Output;
using ::testing::HasSubstr;
using ::testing::Not;

class Names : public ::testing::Test {
 protected:
  Names() { fs::create_directories(path_); }
  ~Names() override { fs::remove_all(path_); }
  std::string trace(const std::string& model, const std::string& name) const {
    const std::string path = (path_ / "trace.yaml").string();
    std::ofstream(path)
        << "schema: 1\nmodel: \"" << model
        << "\"\nquant: F16\nphase: decode\ncontext: 1\ntokens: 1\nbatch: 1\nkv_format: F16\n"
           "resident_weights: 1 MiB\nresident_kv: 1 KiB\noperators:\n  - {op: matmul, name: \""
        << name << "\", m: 1, n: 64, k: 64, format: F16}\n";
    return path;
  }
  const fs::path path_ = fs::temp_directory_path() / ("edgenpu_names_" + std::to_string(::getpid()));
};

TEST_F(Names, ThatATerminalWouldObeyAreMadeVisible) {
  const std::string path = trace("a\\e]0;title\\a", "b\\e[31m\\nnext");
  const Output shown = edgenpu("trace show " + path);
  EXPECT_EQ(shown.exit_code, 0) << shown.errors;
  EXPECT_THAT(shown.text, HasSubstr("a\\x1b]0;title\\x07"));
  EXPECT_THAT(shown.text, HasSubstr("b\\x1b[31m\\nnext"));
  const Output run = edgenpu("run --hardware hw_configs/npu/npu-raiderchip-asic.yaml --trace " + path);
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  for (const std::string& text : {shown.text, run.text}) EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST_F(Names, ThatAreVeryLongAreCut) {
  const Output shown = edgenpu("trace show " + trace(std::string(1'000'000, 'x'), "name"));
  EXPECT_EQ(shown.exit_code, 0) << shown.errors;
  EXPECT_LT(shown.text.size(), 2000u);
}

TEST_F(Names, OfPathsAreMadeVisibleInMessages) {
  const Output out = edgenpu("run --model llama-3.2-1b --hardware 'no\x1b[31m\xff.yaml'");
  EXPECT_EQ(out.exit_code, 2);
  EXPECT_THAT(out.errors, HasSubstr("no\\x1b[31m\\xff.yaml: cannot read this file"));
}

TEST_F(Names, ThatAShellOrAFormatWouldTakeApartAreInert) {
  for (const char* name :
       {"%s%n%d{}{0}", "a; touch pwned #", "$(touch pwned)", "`touch pwned`", "*?[a]", "-x"}) {
    const std::string output = (path_ / name).string();
    const Output out = edgenpu("trace generate --model llama-3.2-1b --out '" + output + "'");
    EXPECT_EQ(out.exit_code, 0) << out.errors;
    EXPECT_TRUE(fs::exists(output));
    EXPECT_EQ(edgenpu("trace show '" + output + "'").exit_code, 0);
  }
  EXPECT_FALSE(fs::exists(fs::path(EDGENPU_SOURCE_DIR) / "pwned"));
}

TEST_F(Names, OfNumbersAreTheSameInEveryLocale) {
  const std::string command = "trace generate --model llama-3.2-1b";
  const Output plain = edgenpu(command);
  for (const char* locale : {"de_DE.UTF-8", "tr_TR.UTF-8", "C.utf8"}) {
    ::setenv("LC_ALL", locale, 1);
    EXPECT_EQ(edgenpu(command).text, plain.text) << locale;
    ::unsetenv("LC_ALL");
  }
}

}  // namespace
