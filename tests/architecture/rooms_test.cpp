// Folder dependencies go one way. The order is that of docs/architecture.md: a room may include itself and
// what stands in a group to its left.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <regex>

namespace {

namespace fs = std::filesystem;

// Rooms of one number do not see each other.
const std::map<std::string, int> kGroup = {
    {"base", 0},     {"vocabulary", 1}, {"config", 2},   {"activity", 2}, {"process", 2},
    {"workload", 3}, {"timing", 3},     {"energy", 3},   {"result", 3},   {"lowering", 4},
    {"numerics", 5}, {"hardware", 5},   {"simulate", 6}, {"session", 7},  {"analysis", 8},
    {"sweep", 9},    {"evidence", 10},  {"report", 11},  {"cli", 12},     {"main", 13}};

// Libraries that only one room may see.
const std::map<std::string, std::vector<std::string>> kSingleUser = {{"systemc", {"hardware", "simulate"}},
                                                                     {"tlm", {"hardware", "simulate"}},
                                                                     {"yaml-cpp/", {"config"}},
                                                                     {"nlohmann/", {"report"}},
                                                                     {"boost/program_options", {"cli"}},
                                                                     {"Eigen/", {"numerics"}},
                                                                     {"SQLiteCpp/", {"sweep", "evidence"}},
                                                                     {"nlopt", {"evidence"}}};

struct Include {
  fs::path file;
  std::string room, target;
};

std::string room_of(const fs::path& file, const fs::path& sim) {
  const fs::path relative = fs::relative(file, sim);
  return relative.has_parent_path() ? relative.begin()->string() : relative.stem().string();
}

std::vector<Include> includes() {
  const fs::path sim = fs::path(EDGENPU_SOURCE_DIR) / "sim";
  const std::regex pattern("^\\s*#\\s*include\\s*[<\"]([^>\"]+)[>\"]");
  std::vector<Include> found;
  for (const auto& entry : fs::recursive_directory_iterator(sim)) {
    const auto extension = entry.path().extension();
    if (extension != ".h" && extension != ".cpp") continue;
    std::ifstream file(entry.path());
    std::smatch match;
    for (std::string line; std::getline(file, line);)
      if (std::regex_search(line, match, pattern))
        found.push_back({entry.path(), room_of(entry.path(), sim), match[1]});
  }
  return found;
}

bool starts_with(const std::string& text, const std::string& prefix) {
  return text.rfind(prefix, 0) == 0;
}

TEST(Architecture, EveryFileOfSimStandsInARoomThatTheOrderKnows) {
  ASSERT_FALSE(includes().empty());
  for (const Include& i : includes()) EXPECT_TRUE(kGroup.count(i.room)) << i.file << " is in room " << i.room;
}

TEST(Architecture, RoomsIncludeOnlyRoomsToTheirLeft) {
  for (const Include& i : includes()) {
    const std::string target = i.target.substr(0, i.target.find_first_of("/."));
    if (!kGroup.count(target) || target == i.room || !kGroup.count(i.room)) continue;
    EXPECT_LT(kGroup.at(target), kGroup.at(i.room)) << i.file << " includes " << i.target;
  }
}

TEST(Architecture, SingleUserLibrariesAreSeenByTheirRoomOnly) {
  for (const Include& i : includes()) {
    for (const auto& [library, rooms] : kSingleUser) {
      if (!starts_with(i.target, library)) continue;
      EXPECT_NE(std::find(rooms.begin(), rooms.end(), i.room), rooms.end())
          << i.file << " includes " << i.target;
      if (i.room == "simulate") {
        EXPECT_EQ(i.file.filename(), "simulate.cpp");
      }
      if (i.room == "evidence" && library == "SQLiteCpp/") {
        EXPECT_EQ(i.file.filename(), "bench_sql.cpp");  // rows that come as SQL
      }
    }
  }
}

TEST(Architecture, HeadersAreNamedFromTheTopOfSim) {
  for (const Include& i : includes())
    EXPECT_FALSE(starts_with(i.target, "../")) << i.file << " includes " << i.target;
}

}  // namespace
