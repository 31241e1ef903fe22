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
  for (const char* slow : {"validate  ", "compare --platform-table", "explain --hardware gpu"})
    if (rest.rfind(slow, 0) == 0) return true;
  return false;
}

std::vector<std::string> documents() {
  std::vector<std::string> all = {"README.md"};
  for (const auto& entry : fs::directory_iterator(fs::path(kSource) / "docs"))
    if (entry.path().extension() == ".md") all.push_back("docs/" + entry.path().filename().string());
  std::sort(all.begin(), all.end());
  return all;
}

// Commands of a document that are quick enough to run.
std::vector<std::string> quick_commands(const std::string& document) {
  std::vector<std::string> all = commands_of(fs::path(kSource) / document);
  all.erase(std::remove_if(all.begin(), all.end(), is_slow), all.end());
  return all;
}

class Documents : public ::testing::TestWithParam<std::string> {
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

TEST_P(Documents, HoldCommandsThatCanBePasted) {
  for (const std::string& command : quick_commands(GetParam())) {
    SCOPED_TRACE(command);
    std::FILE* pipe = ::popen(("cd " + folder_.string() + " && { " + command + "\n} 2>&1").c_str(), "r");
    const std::string text = edgenpu::test::slurp(pipe);
    EXPECT_EQ(WEXITSTATUS(::pclose(pipe)), 0) << text;
  }
}

// One test a document: each has the time limit of a test.
INSTANTIATE_TEST_SUITE_P(Each, Documents, ::testing::ValuesIn(documents()), [](const auto& info) {
  std::string name = fs::path(info.param).stem().string();
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
  return name;
});

TEST(DocumentCommands, AreFoundInTheDocuments) {
  std::size_t found = 0;
  for (const std::string& document : documents()) found += quick_commands(document).size();
  EXPECT_GE(found, 12u);
}

}  // namespace
