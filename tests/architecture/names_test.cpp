// One name, one type. Two types of one name in one namespace, each in a library of its own, link without a
// word, and the linker keeps one destructor for both. `scripts/odr` has the compiler prove what this test reads
// from the sources.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <set>

namespace {

namespace fs = std::filesystem;

// Types that a file defines outside functions and anonymous namespaces, by whole name. The formatter keeps the
// contents of namespaces at column one, so a definition that begins there is one of a namespace.
std::set<std::string> types_of(const fs::path& path) {
  static const std::regex open("^(?:inline )?namespace ?([A-Za-z0-9_:]*) ?\\{$"),
      close("^\\}  // namespace.*$"),
      type(
          "^(?:template <.*> )?(?:struct|class|union|enum class|enum) ([A-Za-z0-9_]+)(?: final)?"
          "(?: : [^;]*)?(?: \\{.*|)$");
  std::vector<std::string> spaces;
  std::set<std::string> found;
  std::ifstream file(path);
  std::smatch match;
  for (std::string line; std::getline(file, line);) {
    if (std::regex_match(line, match, open)) {
      spaces.push_back(match[1]);
    } else if (std::regex_match(line, close) && !spaces.empty()) {
      spaces.pop_back();
    } else if (std::regex_match(line, match, type)) {
      std::string whole;
      for (const std::string& s : spaces) whole += (s.empty() ? "(anonymous)" : s) + "::";
      if (whole.find("(anonymous)") == std::string::npos) found.insert(whole + match[1].str());
    }
  }
  return found;
}

TEST(Architecture, NoTwoTypesOfOneNamespaceHaveOneName) {
  std::map<std::string, fs::path> defined;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(EDGENPU_SOURCE_DIR) / "sim")) {
    if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp") continue;
    for (const std::string& name : types_of(entry.path())) {
      const auto [first, is_new] = defined.emplace(name, entry.path());
      EXPECT_TRUE(is_new) << name << " is defined in " << first->second << " and in " << entry.path();
    }
  }
  EXPECT_TRUE(defined.count("edgenpu::result::StepResult"));
  EXPECT_GT(defined.size(), 300u);
}

}  // namespace
