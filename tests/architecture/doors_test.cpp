// Files are opened and asked about in few places, which never throw past the exit codes; nothing is run through a
// shell and nothing sets a locale.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <set>
#include <vector>

namespace {

namespace fs = std::filesystem;

// What is sought, and the files that may have it, each with errors of its own (memory traces of any length, the
// caches and databases of studies).
const std::map<std::string, std::set<std::string>> kOnlyIn = {
    {"std::i?fstream|fopen\\(|::open\\(|mkostemp\\(",
     {"base/files.cpp", "report/output.cpp", "main.cpp", "workload/mapped_file.cpp",
      "hardware/memory/trace_replay.cpp", "hardware/memory/trace_replay.h",
      "hardware/memory/command_export.cpp", "study/point_runner.cpp"}},
    {"std::ofstream", {"study/point_runner.cpp"}},
    // The overloads without an error code throw for a name too long, a loop of links, a closed folder.
    {"(fs|filesystem)::(exists|is_directory|is_regular_file|file_size|canonical|equivalent|status|absolute|"
     "directory_iterator|create_director(y|ies)|remove|rename|copy|last_write_time)\\((?![^;]*(error|none)\\)"
     ")",
     {"study/schema.cpp", "hardware/memory/command_export.cpp"}},
    {"::fork\\(", {"base/child_process.cpp", "study/sweep.cpp"}},
    {"setlocale|std::locale", {}},
    {"\\b(std::|::)?(system|popen)\\(", {}}};

TEST(Doors, OfFilesProcessesAndLocalesAreWhereTheyAreExpected) {
  const fs::path sim = fs::path(EDGENPU_SOURCE_DIR) / "sim";
  std::vector<std::pair<std::regex, std::set<std::string>>> rules;
  for (const auto& [pattern, allowed] : kOnlyIn) rules.emplace_back(std::regex(pattern), allowed);
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(sim)) {
    if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp") continue;
    ++files;
    const std::string name = fs::relative(entry.path(), sim).string();
    std::ifstream file(entry.path());
    int number = 0;
    for (std::string line; std::getline(file, line);) {
      ++number;
      for (const auto& [pattern, allowed] : rules)
        if (!allowed.count(name) && std::regex_search(line, pattern))
          ADD_FAILURE() << name << ":" << number << ": " << line
                        << "\nis not one of the files that may do this";
    }
  }
  EXPECT_GT(files, 100);
}

}  // namespace
