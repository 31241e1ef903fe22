// What --help says can be pasted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

#include "cli/command_line.h"

namespace {

using edgenpu::test::edgenpu;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Help, CallsTheToolAsTheUserDid) {
  EXPECT_THAT(edgenpu("--help").text, HasSubstr("'" EDGENPU_BINARY " SUBCOMMAND --help'"));
  for (const char* name : {"run", "plan", "explain", "compare", "validate", "calibrate", "trace", "memory",
                           "numerics", "power", "sweep", "results"}) {
    SCOPED_TRACE(name);
    const std::string text = edgenpu(std::string(name) + " --help").text;
    const std::size_t example = text.find("\nExample:\n");
    ASSERT_NE(example, std::string::npos);
    std::istringstream lines(text.substr(example + 10));
    int commands = 0;
    for (std::string line; std::getline(lines, line); ++commands)
      EXPECT_THAT(line, StartsWith("  " EDGENPU_BINARY " " + std::string(name)));
    EXPECT_GE(commands, 1);
  }
}

}  // namespace
