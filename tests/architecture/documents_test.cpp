// Documents are read in terminals and in diffs: lines of prose have at most 120 characters. Tables, blocks of code and
// what scripts write between marks have the lines that they need.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

constexpr std::ptrdiff_t kMost = 120;

bool begins(const std::string& line, const std::string& text) {
  return line.rfind(text, 0) == 0;
}

// Characters, not bytes.
std::ptrdiff_t length(const std::string& line) {
  return std::count_if(line.begin(), line.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

std::vector<std::string> too_long(std::istream& file, const std::string& name) {
  std::vector<std::string> found;
  bool fenced = false, generated = false;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (begins(line, "```")) fenced = !fenced;
    if (begins(line, "<!-- ")) generated = !begins(line, "<!-- end");
    const bool table = begins(line, "|") || begins(line, "    ");
    if (fenced || generated || table || length(line) <= kMost) continue;
    found.push_back(name + ":" + std::to_string(number));
  }
  return found;
}

TEST(Documents, HaveLinesOfProseOfAtMost120Characters) {
  const fs::path root = EDGENPU_SOURCE_DIR;
  int documents = 0;
  const auto check = [&](const fs::path& path) {
    if (path.extension() != ".md") return;
    ++documents;
    std::ifstream file(path);
    for (const std::string& place : too_long(file, fs::relative(path, root).string())) ADD_FAILURE() << place;
  };
  for (const auto& entry : fs::directory_iterator(root)) check(entry.path());
  for (const char* folder : {"docs", "tests"})
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) check(entry.path());
  EXPECT_GT(documents, 15);
}

}  // namespace
