// The files of edgenpu power: golden samples of a trace made by hand, and grammars written from each format's
// public documentation, on the files of a simulated step.
//
// HotSpot: HotSpot 6.0 HOWTO and template.config, University of Virginia (github.com/uvahotspot/HotSpot).
// 3D-ICE: user guide and bison grammars, bin/example_transient.stk (github.com/esl-epfl/3d-ice).
// VCD: IEEE 1364-2001, clause 18. Accelergy: examples/*/input/action_counts.yaml and
// output/reference/ERT.yaml (github.com/Accelergy-Project/accelergy). UPF: IEEE 1801-2009, clause 6.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <sstream>

#include "base/rates.h"
#include "config/value.h"
#include "report/chart.h"
#include "report/power.h"

namespace edgenpu::report {
namespace {

using energy::PowerTrace;

// Two blocks, three windows of 2 us, the last one 1 us long.
PowerTrace by_hand() {
  PowerTrace t;
  t.window = Femtoseconds(2'000'000'000);
  t.time = Femtoseconds(5'000'000'000);
  t.names = {"matrix", "dram"};
  t.energy = {{2e-6, 4e-6, 1e-6}, {6e-6, 0, 3e-6}};
  return t;
}

const std::vector<energy::Placed> kPlan = {{"matrix", 0, 0, 1e-3, 2e-3}, {"dram", 1e-3, 0, 3e-3, 2e-3}};

TEST(DefaultWindow, LeavesAtMostTenThousandRowsForAnyNumberOfRuns) {
  PowerTrace t = by_hand();
  for (const std::int64_t runs : {1, 9'999, 10'000, 10'001, 1'000'000, 100'000'000}) {
    const Femtoseconds window = default_window(t, runs);
    EXPECT_LE(ceil_div((t.time * runs).count(), window.count()), kMostRows) << runs;
    EXPECT_GE(window, t.window);
  }
  t.time = Femtoseconds(kFemtosecondsPerSecond);
  EXPECT_THROW(default_window(t, 10'000), InfeasibleError) << "10000 s";
}

TEST(PowerCsv, HasWattsOfEachWindow) {
  EXPECT_EQ(power_csv(by_hand()),
            "time_s,duration_s,matrix_W,dram_W,total_W\n"
            "0,2e-06,1,3,4\n"
            "2e-06,2e-06,2,0,2\n"
            "4e-06,1e-06,1,3,4\n");
}

TEST(HotspotTrace, CarriesTheLastWindowsJoulesOverAWholeInterval) {
  EXPECT_EQ(hotspot_ptrace(by_hand()), "matrix\tdram\n1\t3\n2\t0\n0.5\t1.5\n");
}

TEST(HotspotFloorplan, IsWidthHeightLeftBottomInMetres) {
  EXPECT_EQ(hotspot_flp(kPlan),
            "# <unit-name>\t<width>\t<height>\t<left-x>\t<bottom-y>, in metres\n"
            "matrix\t0.001000000\t0.002000000\t0.000000000\t0.000000000\n"
            "dram\t0.003000000\t0.002000000\t0.001000000\t0.000000000\n");
}

TEST(IceFloorplan, IsInMicrometresWithAPowerASlot) {
  EXPECT_EQ(ice_floorplan(by_hand(), kPlan),
            "matrix :\n\n  position  0.000, 0.000 ;\n  dimension 1000.000, 2000.000 ;\n\n  power values 1, "
            "2, 0.5 ;\n\n"
            "dram :\n\n  position  1000.000, 0.000 ;\n  dimension 3000.000, 2000.000 ;\n\n  power values 3, "
            "0, 1.5 ;\n\n");
}

// A step of a small model on the NPU.
const StepPower& step() {
  static const StepPower s = [] {
    StepRequest r;
    r.hardware = std::string(EDGENPU_SOURCE_DIR) + "/hw_configs/npu/npu-raiderchip-asic.yaml";
    r.model = "smollm2-135m";
    r.context = 64;
    r.data_dir = EDGENPU_SOURCE_DIR;
    return simulate_power(r, {Femtoseconds(1'000'000'000), true});
  }();
  return s;
}

const PowerFiles& files() {
  static const PowerFiles f{
      energy::resample(step().by_block, Femtoseconds(7'000'000'000)), energy::pack(step().blocks), {}};
  return f;
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

std::vector<std::string> words(const std::string& line, char separator) {
  std::vector<std::string> all;
  std::istringstream in(line);
  for (std::string word; std::getline(in, word, separator);) all.push_back(word);
  return all;
}

double joules_of_csv(const std::string& text) {
  double sum = 0;
  const auto rows = lines(text);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const auto cells = words(rows[i], ',');
    double watts = 0;
    for (std::size_t c = 2; c + 1 < cells.size(); ++c) watts += std::stod(cells[c]);
    EXPECT_NEAR(watts, std::stod(cells.back()), 1e-6 * watts);
    sum += watts * std::stod(cells[1]);
  }
  return sum;
}

double interval_of(const std::string& config) {
  std::smatch m;
  EXPECT_TRUE(std::regex_search(config, m, std::regex("-sampling_intvl\\s+(\\S+)")));
  return std::stod(m[1]);
}

double joules_of_ptrace(const std::string& text, double interval) {
  double sum = 0;
  const auto rows = lines(text);
  for (std::size_t i = 1; i < rows.size(); ++i)
    for (const std::string& cell : words(rows[i], '\t')) sum += std::stod(cell) * interval;
  return sum;
}

struct VcdReading {
  double joules = 0;  // of the real variables but the total
  double total_joules = 0;
  std::map<std::string, std::string> variables;  // identifier -> name
};

VcdReading read_vcd(const std::string& text) {
  VcdReading r;
  std::map<std::string, double> power;
  double time = 0;
  for (const std::string& line : lines(text)) {
    const auto w = words(line, ' ');
    if (line[0] == '$') {
      if (w[0] == "$var") r.variables[w[3]] = w[4];
      continue;
    }
    if (line[0] == '#') {
      const double now = std::stod(line.substr(1)) * 1e-9;
      for (const auto& [id, watts] : power)
        (r.variables[id] == "total_W" ? r.total_joules : r.joules) += watts * (now - time);
      time = now;
    } else if (line[0] == 'r') {
      EXPECT_TRUE(r.variables.count(w[1])) << line;
      power[w[1]] = std::stod(w[0].substr(1));
    } else {
      EXPECT_THAT(line, ::testing::MatchesRegex("b[01][01][01] [!-~]+"));
    }
  }
  return r;
}

double joules_of_ice(const std::string& text, double slot) {
  double sum = 0;
  const std::regex values("power values ([^;]*);");
  for (std::sregex_iterator i(text.begin(), text.end(), values), end; i != end; ++i)
    for (const std::string& v : words((*i)[1], ',')) sum += std::stod(v) * slot;
  return sum;
}

TEST(PowerFiles, HoldTheSameJoulesInCsvPtraceVcdAndIce) {
  const PowerTrace& t = files().trace;
  const double joules = step().energy.total().count();
  const double interval = interval_of(hotspot_config(t, files().plan));
  EXPECT_NEAR(joules_of_csv(power_csv(t)), joules, 1e-6 * joules);
  EXPECT_NEAR(joules_of_ptrace(hotspot_ptrace(t), interval), joules, 1e-6 * joules);
  EXPECT_NEAR(joules_of_ice(ice_floorplan(t, files().plan), interval), joules, 1e-6 * joules);
  const VcdReading vcd = read_vcd(power_vcd(step(), t));
  EXPECT_NEAR(vcd.joules, joules, 1e-3 * joules);
  EXPECT_NEAR(vcd.total_joules, joules, 1e-3 * joules);
}

TEST(PowerVcd, DeclaresEachVariableBeforeItsValuesAndTimesThatGrow) {
  const std::string text = power_vcd(step(), files().trace);
  const auto rows = lines(text);
  std::size_t row = 0;
  for (; rows[row] != "$enddefinitions $end"; ++row)
    EXPECT_THAT(rows[row],
                ::testing::AnyOf(::testing::MatchesRegex("\\$(comment|timescale|scope|var|upscope) .*\\$end"),
                                 ::testing::Eq("$upscope $end")));
  std::int64_t last = -1;
  for (++row; row < rows.size(); ++row) {
    if (rows[row][0] != '#') continue;
    const std::int64_t time = std::stoll(rows[row].substr(1));
    EXPECT_GT(time, last);
    last = time;
  }
  EXPECT_EQ(last, ceil_div(step().run.time.count(), 1'000'000));
  const VcdReading vcd = read_vcd(text);
  std::vector<std::string> names;
  for (const auto& [id, name] : vcd.variables) names.push_back(name);
  EXPECT_THAT(names, ::testing::IsSupersetOf({"matrix", "vector", "load_dma", "matrix_W", "total_W"}));
}

TEST(HotspotFiles, NameTheSameBlocksInFloorplanAndTrace) {
  std::vector<std::string> plan;
  for (const std::string& line : lines(hotspot_flp(files().plan))) {
    if (line[0] == '#') continue;
    ASSERT_TRUE(std::regex_match(line, std::regex("[A-Za-z_][A-Za-z0-9_]*(\t[0-9]+\\.[0-9]+){4}"))) << line;
    plan.push_back(words(line, '\t')[0]);
  }
  EXPECT_EQ(plan, words(lines(hotspot_ptrace(files().trace))[0], '\t'));
}

TEST(HotspotConfig, IsKeysAndValuesWithTheTracesInterval) {
  const std::string text = hotspot_config(files().trace, files().plan);
  for (const std::string& line : lines(text))
    EXPECT_TRUE(std::regex_match(line, std::regex("#.*|\t\t-[a-z_]+\t\\S+"))) << line;
  EXPECT_NEAR(interval_of(text), 7e-6, 1e-15);
}

TEST(IceFiles, FollowTheGrammarOfFloorplanAndStack) {
  const std::string number = "[0-9.e+-]+";
  const std::regex block("^[A-Za-z_][A-Za-z0-9_]* :\\s+position\\s+" + number + ", " + number +
                         " ;\\s+dimension\\s+" + number + ", " + number + " ;\\s+power values ");
  std::string rest = ice_floorplan(files().trace, files().plan);
  std::size_t blocks = 0;
  while (!rest.empty()) {
    ASSERT_TRUE(std::regex_search(rest, block, std::regex_constants::match_continuous)) << rest.substr(0, 80);
    rest = rest.substr(rest.find(" ;\n\n", rest.find("power values")) + 4);
    ++blocks;
  }
  EXPECT_EQ(blocks, files().plan.size());
  const std::string stack = ice_stack(files().trace, files().plan);
  for (const char* section : {"material SILICON :", "top heat sink :", "dimensions :", "die CHIP :", "stack:",
                              "solver:", "output:"})
    EXPECT_THAT(stack, ::testing::HasSubstr(section));
  EXPECT_TRUE(std::regex_search(stack, std::regex("transient step 7e-07, slot 7e-06 ;"))) << stack;
}

// Counts x energies, over both YAML files.
TEST(Accelergy, CountsTimesTheTableIsTheEnergyOfTheStep) {
  const config::Value counts = config::parse_text(accelergy_counts(step()), "counts"),
                      ert = config::parse_text(accelergy_ert(step()), "ert");
  std::map<std::string, double> price;
  for (const config::Value& table : ert.find("ERT")->find("tables")->items())
    for (const config::Value& action : table.find("actions")->items())
      price[table.find("name")->text() + "." + action.find("name")->text()] =
          std::stod(action.find("energy")->text());
  const config::Value& system = config::find_path(counts, "action_counts.subtree")->items().at(0);
  double joules = 0;
  for (const config::Value& component : system.find("local")->items())
    for (const config::Value& action : component.find("action_counts")->items()) {
      const std::string name = "system." + component.find("name")->text() + "." + action.find("name")->text();
      ASSERT_TRUE(price.count(name)) << name;
      joules += price[name] * 1e-12 * std::stod(action.find("counts")->text());
    }
  EXPECT_NEAR(joules, step().energy.total().count(), 1e-6 * joules);
  EXPECT_EQ(config::find_path(ert, "ERT.version")->text(), "0.4");
}

TEST(Upf, UsesOnlyDeclaredSuppliesAndStates) {
  const std::string text = power_upf(step());
  const std::regex command(
      "#.*|upf_version 2\\.0|set_scope \\.|create_power_domain \\w+( -include_scope| -elements \\{[\\w "
      "]+\\})|"
      "create_supply_port \\w+ -direction in|create_supply_net \\w+ -domain \\w+( -reuse)?|"
      "connect_supply_net \\w+ -ports \\w+|set_domain_supply_net \\w+ -primary_power_net \\w+ "
      "-primary_ground_net \\w+|"
      "add_port_state \\w+ -state \\{\\w+ ([0-9.]+|off)\\}|create_pst \\w+ -supplies \\{[\\w ]+\\}|"
      "add_pst_state \\w+ -pst \\w+ -state \\{[\\w ]+\\}");
  std::size_t states = 0;
  for (const std::string& line : lines(text)) {
    EXPECT_TRUE(std::regex_match(line, command)) << line;
    std::smatch m;
    if (!std::regex_match(line, m, std::regex("add_pst_state (\\w+) .*\\{(\\w+) (\\w+) (\\w+)\\}"))) continue;
    ++states;
    EXPECT_THAT(text, ::testing::HasSubstr("add_port_state VDD_CORE -state {" + m[2].str() + " "));
    EXPECT_THAT(text, ::testing::HasSubstr("add_port_state VDD_AON -state {" + m[3].str() + " "));
  }
  EXPECT_EQ(states, step().table.operating_points.size() + 2);  // idle and gated
}

TEST(PowerSummary, SaysPeaksMeaningsAndWhatIsNotModelled) {
  const std::string text = power_summary(step(), files());
  for (const char* part :
       {"## Peak and average by window", "## Blocks", "## Components", "## States", "## Not modelled"})
    EXPECT_THAT(text, ::testing::HasSubstr(part));
  for (const PowerFile& f : power_files(step(), files()))
    EXPECT_THAT(text, ::testing::HasSubstr(f.name == "summary.md" ? "Power" : f.name));
}

TEST(PowerSvg, IsOneElementWithoutScriptsOrForeignHosts) {
  const std::string text = power_svg(files().trace, "a < b & c");
  EXPECT_THAT(text, ::testing::StartsWith("<svg "));
  EXPECT_THAT(text, ::testing::HasSubstr("a &lt; b &amp; c"));
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("<script")));
  EXPECT_EQ(text.find("http", text.find("http") + 1), std::string::npos);  // the name space alone
}

}  // namespace
}  // namespace edgenpu::report
