// The tool, installed elsewhere, uses the data that were installed with it.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "cli/command_line.h"

namespace {

namespace fs = std::filesystem;

TEST(Install, TheToolFindsTheDataBesideIt) {
  const fs::path build = fs::path(EDGENPU_BINARY).parent_path().parent_path();
  const fs::path prefix = fs::path(testing::TempDir()) / "edgenpu-installed";
  fs::remove_all(prefix);
  ASSERT_EQ(
      std::system(
          ("cmake --install " + build.string() + " --prefix " + prefix.string() + " >/dev/null").c_str()),
      0);
  fs::rename(prefix / "share/edgenpu/models/smollm2-135m.yaml",
             prefix / "share/edgenpu/models/of-this-place.yaml");
  std::FILE* pipe = ::popen(
      ((prefix / "bin/edgenpu").string() + " trace generate --model of-this-place 2>&1").c_str(), "r");
  const std::string text = edgenpu::test::slurp(pipe);
  EXPECT_EQ(WEXITSTATUS(::pclose(pipe)), 0) << text;
  fs::remove_all(prefix);
}

}  // namespace
