// Files are opened and asked about in few places, which never throw past the exit codes; nothing is run through a
// shell and nothing sets a locale.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct Rule {
  std::vector<std::string> sought;
  std::set<std::string> files;      // that may have it, each with errors of its own
  std::vector<std::string> beside;  // in the same line it is harmless
};

std::vector<Rule> rules() {
  Rule throwing{{},
                {"report/output.cpp", "sweep/schema.cpp", "evidence/step_cache.cpp",
                 "hardware/memory/command_export.cpp"},
                {"error)", "none)", "ignored)"}};
  for (const char* call : {"exists", "is_directory", "is_regular_file", "file_size", "canonical",
                           "equivalent", "status", "absolute", "directory_iterator", "create_directories",
                           "remove", "rename", "copy_file", "last_write_time"})
    for (const char* space : {"fs::", "filesystem::"})
      throwing.sought.push_back(std::string(space) + call + "(");
  // Memory traces of any length are streams, and the caches of studies are appended to.
  return {throwing,
          {{"ifstream", "fopen(", " ::open(", "(::open(", "{::open(", "mkostemp("},
           {"base/files.cpp", "report/output.cpp", "main.cpp", "workload/mapped_file.cpp",
            "hardware/memory/trace_replay.cpp", "hardware/memory/command_export.cpp",
            "evidence/point_runner.cpp", "evidence/step_cache.cpp"},
           {}},
          {{"ofstream", "fstream "}, {"evidence/step_cache.cpp"}, {"ifstream"}},
          {{"setlocale", "std::locale", " system(", "::system(", "popen("}, {}, {}}};
}

bool has_any(const std::string& line, const std::vector<std::string>& texts) {
  return std::any_of(texts.begin(), texts.end(),
                     [&](const std::string& t) { return line.find(t) != std::string::npos; });
}

// Limits, dying with the parent and telling how a child ended are easily forgotten in a second place.
TEST(Doors, AProcessIsForkedInOneSourceOnly) {
  const fs::path sim = fs::path(EDGENPU_SOURCE_DIR) / "sim";
  std::set<std::string> forking;
  for (const auto& entry : fs::recursive_directory_iterator(sim)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);)
      if (has_any(line, {"fork(", "posix_spawn", "execv", "waitpid(", "wait4("}))
        forking.insert(fs::relative(entry.path(), sim).string());
  }
  EXPECT_EQ(forking, std::set<std::string>{"process/child_process.cpp"});
}

TEST(Doors, OfFilesProcessesAndLocalesAreWhereTheyAreExpected) {
  const fs::path sim = fs::path(EDGENPU_SOURCE_DIR) / "sim";
  const std::vector<Rule> all = rules();
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(sim)) {
    if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp") continue;
    ++files;
    const std::string name = fs::relative(entry.path(), sim).string();
    std::ifstream file(entry.path());
    int number = 0;
    for (std::string line; std::getline(file, line);) {
      ++number;
      for (const Rule& rule : all)
        if (has_any(line, rule.sought) && !has_any(line, rule.beside) && rule.files.count(name) == 0)
          ADD_FAILURE() << name << ":" << number << ": " << line
                        << "\nis not one of the files that may do this";
    }
  }
  EXPECT_GT(files, 100);
}

}  // namespace
