// docs/invariants.md: numbers without a gap, and every test that it names exists.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>

namespace {

namespace fs = std::filesystem;

const fs::path kSource = EDGENPU_SOURCE_DIR;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// "Suite.Name" of every test in tests/, and of those that CMake adds by name.
std::set<std::string> tests_there_are() {
  static const std::regex macro("TEST(?:_F|_P)?\\(\\s*(\\w+),\\s*(\\w+)\\)"),
      added("add_test\\(NAME (\\w+\\.\\w+)");
  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(kSource / "tests")) {
    const std::string text = entry.is_regular_file() ? text_of(entry.path()) : "";
    for (std::sregex_iterator i(text.begin(), text.end(), macro), end; i != end; ++i)
      names.insert((*i)[1].str() + "." + (*i)[2].str());
    if (entry.path().filename() == "CMakeLists.txt")
      for (std::sregex_iterator i(text.begin(), text.end(), added), end; i != end; ++i) names.insert((*i)[1]);
  }
  return names;
}

TEST(Invariants, AreNumberedWithoutAGapAndEachNamesATestThatExists) {
  static const std::regex row("^\\| INV-(\\d+) \\|"), test("`(\\w+\\.\\w+)`");
  const std::set<std::string> there = tests_there_are();
  std::istringstream page(text_of(kSource / "docs" / "invariants.md"));
  int number = 0;
  for (std::string line; std::getline(page, line);) {
    std::smatch match;
    if (!std::regex_search(line, match, row)) continue;
    EXPECT_EQ(match[1].str(), std::to_string(++number));
    int named = 0;
    // The last cell has the tests.
    const std::string cell = line.substr(line.rfind('|', line.size() - 2));
    for (std::sregex_iterator i(cell.begin(), cell.end(), test), end; i != end; ++i, ++named)
      EXPECT_TRUE(there.count((*i)[1])) << "INV-" << number << " names " << (*i)[1];
    EXPECT_GT(named, 0) << "INV-" << number << " names no test";
  }
  EXPECT_GT(number, 20);
}

}  // namespace
