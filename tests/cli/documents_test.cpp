// Commands in README and docs can be pasted as they stand: each line that calls the built tool is run, in a
// folder where the repository's data lie, except for those that take more than a minute.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <vector>

#include "cli/command_line.h"

namespace {

namespace fs = std::filesystem;
using ::testing::StartsWith;

const std::string kSource = EDGENPU_SOURCE_DIR;
const std::string kTool = "build/release/bin/edgenpu";

std::vector<std::string> commands_of(const fs::path& document) {
  std::vector<std::string> commands;
  std::ifstream file(document);
  bool open = false;  // the last one goes on in the next line
  for (std::string line; std::getline(file, line);) {
    const std::size_t begin = line.find_first_not_of(' ');
    if (!open && (begin != 4 || line.compare(begin, kTool.size() + 1, kTool + " ") != 0)) continue;
    if (open)
      commands.back() += "\n" + line;
    else
      commands.push_back(line.substr(begin));
    open = !line.empty() && line.back() == '\\';
  }
  return commands;
}

bool is_slow(const std::string& command) {
  const std::string rest = command.substr(kTool.size() + 1);
  for (const char* slow : {"validate  ", "compare --platform-table", "explain --hardware hw_configs/gpu"})
    if (rest.rfind(slow, 0) == 0) return true;
  return false;
}

class Documents : public ::testing::Test {
 protected:
  Documents() {
    fs::create_directories(folder_ / "build/release/bin");
    fs::create_symlink(EDGENPU_BINARY, folder_ / kTool);
    for (const char* name : {"hw_configs", "models", "traces", "tests"})
      fs::create_symlink(fs::path(kSource) / name, folder_ / name);
  }
  ~Documents() override { fs::remove_all(folder_); }
  fs::path folder_ = fs::temp_directory_path() / ("edgenpu_documents_" + std::to_string(::getpid()));
};

TEST_F(Documents, HoldCommandsThatCanBePasted) {
  std::vector<fs::path> documents = {fs::path(kSource) / "README.md"};
  for (const auto& entry : fs::directory_iterator(fs::path(kSource) / "docs"))
    if (entry.path().extension() == ".md") documents.push_back(entry.path());
  std::sort(documents.begin(), documents.end());
  int run = 0;
  for (const fs::path& document : documents)
    for (const std::string& command : commands_of(document)) {
      if (is_slow(command)) continue;
      SCOPED_TRACE(document.filename().string() + ": " + command);
      std::FILE* pipe = ::popen(("cd " + folder_.string() + " && { " + command + "\n} 2>&1").c_str(), "r");
      const std::string text = edgenpu::test::slurp(pipe);
      EXPECT_EQ(WEXITSTATUS(::pclose(pipe)), 0) << text;
      ++run;
    }
  EXPECT_GE(run, 12);
}

}  // namespace
