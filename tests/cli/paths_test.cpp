// Every option of every subcommand that names a path, with every kind of bad path: exit code 2 with the path's
// name, at once, and inputs as they were. The options are read from --help, so a new one is tried as well.
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <sys/stat.h>

#include "cli/child.h"
#include "cli/command_line.h"

namespace {

namespace fs = std::filesystem;
using edgenpu::test::become_nobody;
using edgenpu::test::Child;
using edgenpu::test::edgenpu;
using edgenpu::test::Ended;
using ::testing::HasSubstr;
using ::testing::Not;

const std::vector<std::string> kSubcommands = {"run",      "plan",      "explain", "compare",
                                               "validate", "calibrate", "trace",   "memory",
                                               "numerics", "power",     "sweep",   "results"};

// Options that take something else. One that is not here must say in --help what it does with its path.
const std::set<std::string> kNoPaths = {
    "quant",        "phase",    "context",          "prompt",      "batch",        "kv",
    "set",          "detail",   "repeat",           "jobs",        "metric",       "platform",
    "normalise",    "seed",     "action",           "format",      "pattern",      "window",
    "requests",     "mapping",  "channels",         "runs",        "scope",        "refresh",
    "tokens",       "mode",     "refresh-interval", "greedy",      "arithmetic",   "shard",
    "study",        "where",    "columns",          "sort",        "quantisers",   "limit",
    "minimise",     "maximise", "uncertainty",      "power-limit", "request-size", "operating-point",
    "dram-commands"};

struct Option {
  std::string name, role;
};

std::vector<Option> options_of(const std::string& subcommand, const std::string& roles) {
  const std::string help = edgenpu(subcommand + " --help").text;
  const std::regex pattern("\n  --([a-z-]+) (" + roles + ")[ \n]");
  std::vector<Option> all;
  for (auto m = std::sregex_iterator(help.begin(), help.end(), pattern); m != std::sregex_iterator(); ++m)
    all.push_back({(*m)[1], (*m)[2]});
  return all;
}

const char* const kRoles = "FILE|NAME\\|FILE|OUT|CACHE|DATABASE|FOLDER";

bool is_input(const Option& o) {
  return o.role == "FILE" || o.role == "NAME|FILE";
}

// A line on which the option means something; its own value is put in later.
std::map<std::string, std::string> line_of(const std::string& subcommand, const std::string& option) {
  const std::map<std::string, std::string> step = {{"hardware", "hw_configs/npu/npu-raiderchip-asic.yaml"},
                                                   {"model", "llama-3.2-1b"}};
  const std::string gguf = "tests/data/tiny_models/tiny_llama.Q4_K_M.gguf";
  if (subcommand == "run" || subcommand == "plan" || subcommand == "explain" || subcommand == "power") {
    if (option == "anchors") return {};
    auto line = step;
    if (option == "trace") line.erase("model");
    if (subcommand == "power") line["out"] = "/nonexistent/power";
    return line;
  }
  if (subcommand == "compare") {
    if (option == "csv" || option == "svg" || option == "cache") return {{"selection-map", ""}};
    return {};
  }
  if (subcommand == "validate" && option == "llama-bench") return {{"hardware", step.at("hardware")}};
  if (subcommand == "trace") {
    if (option == "file") return {{"action", "show"}};
    return {{"action", "generate"}, {"model", "llama-3.2-1b"}};
  }
  if (subcommand == "memory") {
    if (option == "replay") return {{"memory", "lpddr5-6400"}};
    return {{"memory", "lpddr5-6400"}, {"pattern", "rand64"}, {"requests", "100"}};
  }
  if (subcommand == "numerics") {
    if (option != "hardware") return {{"gguf", gguf}, {"tokens", "1"}};
    return {{"gguf", gguf}, {"tokens", "1"}, {"arithmetic", "npu"}};
  }
  if (subcommand == "sweep") return {{"study", "hw_configs/studies/channels-refresh.yaml"}};
  if (subcommand == "results") return {{"action", "table"}, {"files", "x.sqlite"}};
  return {};
}

class Paths : public ::testing::TestWithParam<std::string> {
 protected:
  Paths() {
    fs::create_directories(path_ / "closed");
    ::chmod(path_.c_str(), 0777);
    for (const char* name : {"input", "secret", "closed/file", "empty"}) std::ofstream(path_ / name);
    std::ofstream(path_ / "input") << kText;
    ::chmod((path_ / "input").c_str(), 0666);
    ::chmod((path_ / "secret").c_str(), 0);
    ::chmod((path_ / "closed").c_str(), ::getuid() == 0 ? 0700 : 0);
    fs::create_symlink(path_ / "loop", path_ / "loop");
    ::mkfifo((path_ / "pipe").c_str(), 0666);
    ::chmod((path_ / "pipe").c_str(), 0666);
  }
  ~Paths() override {
    ::chmod((path_ / "closed").c_str(), 0700);
    fs::remove_all(path_);
  }

  std::string in(const std::string& name) const { return (path_ / name).string(); }

  std::vector<std::string> bad_paths(const Option& o) const {
    std::vector<std::string> bad = {in("loop"),        in("loop/file"),        in(std::string(300, 'a')),
                                    in("closed/file"), std::string(5000, 'b'), ""};
    const auto add = [&](const std::vector<std::string>& more) {
      bad.insert(bad.end(), more.begin(), more.end());
    };
    if (o.role != "FOLDER") add({path_.string() + "/", in("pipe")});
    if (o.role == "FOLDER") add({in("input"), "/dev/full", in("pipe")});
    if (is_input(o))
      add({in("missing.yaml"), in("secret"), in("empty"), "/dev/zero", "/dev/full", "/dev/null"});
    if (o.role == "OUT" || o.role == "CACHE" || o.role == "DATABASE")
      add({in("missing/file"), in("secret"), in("closed/new"), in("input/file")});
    if (o.role == "CACHE" || o.role == "DATABASE") add({"/dev/full", "/dev/zero", "-"});
    if (o.role == "DATABASE") add({":memory:"});
    return bad;
  }

  static std::unique_ptr<Child> start(const std::string& subcommand,
                                      const std::map<std::string, std::string>& line) {
    std::vector<std::string> arguments = {subcommand};
    for (const auto& [option, value] : line) {
      arguments.push_back("--" + option);
      if (option != "selection-map") arguments.push_back(value);
    }
    return std::make_unique<Child>(arguments, become_nobody);
  }

  static void expect_refused(Child& child, const std::string& what) {
    SCOPED_TRACE(what);
    const Ended e = child.wait();
    EXPECT_EQ(e.signal, 0);
    EXPECT_EQ(e.exit_code, 2) << e.errors;
    EXPECT_THAT(e.errors, Not(HasSubstr("internal error")));
    EXPECT_THAT(e.errors, HasSubstr(": "));
  }

  void expect_input_intact() const {
    std::ifstream file(path_ / "input");
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), kText);
    EXPECT_EQ(std::distance(fs::directory_iterator(path_), {}), 6) << "something was left behind";
  }

  static bool nobody_may_run_it() { return Child({"--version"}, become_nobody).wait().exit_code == 0; }

  const std::string kText = "kind: of mine\n";
  const fs::path path_ = fs::temp_directory_path() / ("edgenpu_paths_" + std::to_string(::getpid()));
};

TEST_P(Paths, ThatAreBadAreRefusedAtOnce) {
  if (!nobody_may_run_it()) GTEST_SKIP() << "an ordinary user may not run the tool here";
  std::size_t tried = 0;
  for (const Option& o : options_of(GetParam(), kRoles)) {
    // Together: pipes wait for a partner for a while.
    std::vector<std::pair<std::string, std::unique_ptr<Child>>> children;
    for (const std::string& bad : bad_paths(o)) {
      auto line = line_of(GetParam(), o.name);
      line[o.name] = bad;
      children.emplace_back("--" + o.name + " " + bad.substr(0, 80), start(GetParam(), line));
    }
    for (const auto& [what, child] : children) expect_refused(*child, what);
    tried += children.size();
  }
  EXPECT_GE(tried, 12u);
  expect_input_intact();
}

TEST_P(Paths, OfOutputsAreNotThoseOfInputsOrOfEachOther) {
  const std::vector<Option> all = options_of(GetParam(), kRoles);
  for (const Option& output : all) {
    if (is_input(output) || output.role == "FOLDER") continue;
    for (const Option& other : all) {
      if (other.name == output.name || other.role == "FOLDER") continue;
      auto line = line_of(GetParam(), other.name);
      line[other.name] = is_input(other) ? in("input") : in("new");
      line[output.name] = is_input(other) ? in("../" + path_.filename().string() + "/input") : in("./new");
      expect_refused(*start(GetParam(), line), "--" + output.name + " and --" + other.name);
    }
  }
  expect_input_intact();
}

TEST_P(Paths, AreKnownAsSuch) {
  for (const Option& o : options_of(GetParam(), "arg"))
    EXPECT_TRUE(kNoPaths.count(o.name))
        << "--" << o.name << ": if it takes a path, use a type of cli/paths.h; else add it to the list here";
}

INSTANTIATE_TEST_SUITE_P(Subcommands, Paths, ::testing::ValuesIn(kSubcommands),
                         [](const auto& info) { return info.param; });

}  // namespace
