#include <cmath>
#include <filesystem>
#include <fmt/format.h>

#include "analysis/uncertainty.h"
#include "base/files.h"
#include "base/suggest.h"
#include "cli/commands.h"
#include "cli/step_options.h"
#include "config/set_once.h"
#include "config/units.h"
#include "energy/floorplan.h"
#include "evidence/energy_anchors.h"
#include "report/numbers.h"
#include "report/output.h"
#include "report/power.h"
#include "report/uncertainty.h"
#include "simulate/power.h"

namespace edgenpu::cli {

namespace {

constexpr const char* kUsage =
    "Usage: edgenpu power --hardware FILE --model NAME --out DIR [options]\n"
    "Simulates one forward pass in full and writes its power over time, block by block, with floorplan, "
    "operating\n"
    "points and a one-page summary, in the formats of HotSpot, 3D-ICE, Accelergy, UPF and waveform viewers.";
constexpr const char* kExample =
    "edgenpu power --hardware npu-raiderchip-asic --model llama-3.1-8b --context 1024 --out "
    "power";

po::options_description options() {
  po::options_description o("Options", 110);
  o.add_options()("help", "this text");
  add_step_options(o);
  add_detail_option(o);
  o.add_options()                                                                //
      ("out", output_folder(), "folder for the files; made if it is not there")  //
      ("window", po::value<std::string>(),
       "length of the files' windows, 1 us to 1 s [1 us x 10^n, at most 10 000 windows]")              //
      ("runs", po::value<std::string>()->default_value("1"), "steps end to end (a run of tokens)")     //
      ("scope", po::value<std::string>()->default_value("soc+dram"), "die, soc+dram, module or wall")  //
      ("operating-point", po::value<std::string>(),
       "one of the energy table's operating points: its clock and voltage")  //
      ("dram-commands", po::value<std::string>()->default_value("0"),
       "also write the step's first N DRAM commands of each channel for DRAMPower (at burst detail)")  //
      ("uncertainty", po::value<std::string>()->default_value("0"),
       "also give ranges: simulations with other values of assumed hardware numbers, for example 32")  //
      ("seed", po::value<std::string>()->default_value("1"), "of the draws")                           //
      ("anchors", input_file(),
       "instead: predict the measured J/token of a table (hw_configs/published/energy-anchors.yaml)")  //
      ("floorplan", input_file(), "floorplan YAML [packed from the areas]");
  return o;
}

// An operating point is two overrides.
void apply_point(const std::string& name, StepRequest& request) {
  const energy::Table table = energy::read_table(*hardware_of(request).find("energy"));
  std::vector<std::string> names;
  for (const energy::OperatingPoint& p : table.operating_points) {
    names.push_back(p.name);
    if (p.name != name) continue;
    request.overrides.push_back(fmt::format("clock={} Hz", p.clock.count()));
    request.overrides.push_back(fmt::format("energy.operating_point.voltage={} V", p.voltage));
    config::refuse_set_twice(request.overrides);
    return;
  }
  throw InputError(Position{"--operating-point"},
                   fmt::format("found '{}'; the energy table has: {}{}", name,
                               names.empty() ? "none" : join(names), did_you_mean(name, names)));
}

StepRequest request_of(const po::variables_map& values) {
  StepRequest request = step_request(values);
  request.memo = false;  // power over time needs every layer
  if (values.count("operating-point")) apply_point(values["operating-point"].as<std::string>(), request);
  return request;
}

energy::Scope scope_of(const po::variables_map& values) {
  const std::string name = choice_of(values, "scope", energy::scope_names());
  for (std::size_t i = 0; i < energy::scope_names().size(); ++i)
    if (energy::scope_names()[i] == name) return static_cast<energy::Scope>(i);
  return energy::Scope::soc_dram;
}

constexpr Femtoseconds kMicrosecond(1'000'000'000);

// 0: not given.
Femtoseconds window_of(const po::variables_map& values) {
  if (!values.count("window")) return Femtoseconds(0);
  const std::string text = values["window"].as<std::string>();
  std::string why;
  const auto m = config::parse_measure(text, why);
  const bool time = m && !m->bare && m->dimension == config::unit::time.dimension;
  if (!time || m->value < 0.9999e-6 || m->value > 1.0001)
    throw InputError(Position{"--window"},
                     "found '" + text + "'; a time from 1 us to 1 s is needed, for example \"10 us\"");
  return Femtoseconds(static_cast<std::int64_t>(std::llround(m->value * 1e15)));
}

std::filesystem::path folder_of(const po::variables_map& values) {
  const std::filesystem::path folder = required(values, "out", "a folder for the files");
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (kind_of(folder.string()) != PathKind::folder)
    throw InputError(Position{folder.string()}, "cannot make this folder: " + error.message());
  return folder;
}

// Null: none given.
config::Value floorplan_of(const po::variables_map& values) {
  if (!values.count("floorplan")) return {};
  return config::parse_file(values["floorplan"].as<std::string>());
}

// Every window is a row in each of several files, which are put together in memory.
void refuse_too_many(const energy::PowerTrace& trace, std::int64_t runs, Femtoseconds window) {
  constexpr double kMost = 1e6, kBytesOfANumber = 60;
  const double length = static_cast<double>(trace.time.count()) * static_cast<double>(runs);
  const double windows = std::ceil(length / static_cast<double>(window.count()));
  const double bytes = windows * static_cast<double>(trace.names.size() + 2) * kBytesOfANumber;
  const bool countable = length < 9e18;  // femtoseconds in 64 bits
  if (windows <= kMost && countable) return;
  throw InputError(
      Position{windows <= kMost ? "--runs" : "--window"},
      fmt::format("{:.0f} windows in {} of steps would take about {}; at most 1000000 windows and "
                  "9000 s are allowed: a longer --window, or fewer --runs",
                  windows, report::with_prefix(length * 1e-15, "s"), report::with_prefix(bytes, "B")));
}

report::PowerFiles files_of(const po::variables_map& values, const config::Value& plan,
                            const StepPower& step) {
  if (step.blocks.empty())
    throw InputError(step.table.position,
                     "the energy table gives no areas: there are no blocks to show power in");
  const std::int64_t runs = count_of(values, "runs", 1);
  const Femtoseconds asked = window_of(values);
  const Femtoseconds window = asked > Femtoseconds(0) ? asked : report::default_window(step.by_block, runs);
  if (window < step.by_block.window)
    throw InputError(Position{"--window"}, "the run is too long to be recorded in windows as short as that");
  refuse_too_many(step.by_block, runs, window);
  report::PowerFiles files{energy::repeat(step.by_block, runs, window), {}, {}};
  files.plan =
      values.count("floorplan") ? energy::read_floorplan(plan, step.blocks) : energy::pack(step.blocks);
  return files;
}

// Ranges of the request, if asked for. Repeated layers are left out: the draws need not all be simulated in
// full.
std::optional<result::Uncertainty> uncertainty_of(const po::variables_map& values, StepRequest request) {
  analysis::UncertaintyOptions options;
  options.hardware_draws = count_of(values, "uncertainty", 0);
  options.seed = static_cast<std::uint64_t>(count_of(values, "seed", 0));
  if (options.hardware_draws == 0) return {};
  request.memo = true;
  return analysis::uncertainty(request, options);
}

void refuse_beside_anchors(const po::variables_map& values) {
  const po::options_description all = options();
  std::vector<std::string> others;
  for (const auto& o : all.options())
    if (o->long_name() != "anchors") others.push_back(o->long_name());
  refuse(values, others, "is not for --anchors, whose table names hardware and models");
}

void write(const std::filesystem::path& path, const std::string& text) {
  report::write_output(path.string(), text);
  report::print(path.string() + "\n");
}

}  // namespace

int power_command(const Arguments& arguments) {
  po::variables_map values;
  if (parse(arguments, options(), kUsage, kExample, values)) return 0;
  if (values.count("anchors")) {
    refuse_beside_anchors(values);
    report::print(
        report::anchor_table(evidence::predict_energy(values["anchors"].as<std::string>(), data_dir())));
    return 0;
  }
  if (count_of(values, "uncertainty", 0) == 0) refuse(values, {"seed"}, "goes with --uncertainty");
  const StepRequest request = request_of(values);
  window_of(values);
  count_of(values, "runs", 1);
  count_of(values, "dram-commands", 0);
  const energy::Scope scope = scope_of(values);
  const config::Value plan = floorplan_of(values);
  const std::filesystem::path folder = folder_of(values);
  const StepPower step = simulate_power(request, {kMicrosecond, false}, scope);
  report::PowerFiles files = files_of(values, plan, step);
  files.uncertainty = uncertainty_of(values, request);
  for (const report::PowerFile& f : report::power_files(step, files)) write(folder / f.name, f.text);
  if (const std::int64_t commands = count_of(values, "dram-commands", 0); commands > 0) {
    const std::vector<std::string> channels = simulate_dram_commands(request, commands);
    for (std::size_t c = 0; c < channels.size(); ++c)
      write(folder / fmt::format("dram_commands.ch{}.csv", c), channels[c]);
  }
  return step.result.all_checks_ok() ? 0 : 1;
}

}  // namespace edgenpu::cli
