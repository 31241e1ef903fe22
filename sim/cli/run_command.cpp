#include <algorithm>
#include <iostream>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/step_options.h"
#include "cli/version.h"
#include "config/system.h"
#include "config/value.h"
#include "report/json.h"
#include "report/output.h"
#include "report/system.h"
#include "report/text.h"
#include "simulate/system.h"

namespace edgenpu::cli {

namespace {

constexpr const char* kUsage =
    "Usage: edgenpu run --hardware FILE --model NAME [options]\n"
    "Simulates one forward pass and prints throughput, energy, where the time went, and the checks it "
    "passed.";
constexpr const char* kExample =
    "edgenpu run --hardware npu-raiderchip-asic --model llama-3.1-8b --context 1024 "
    "--set memory.channels=4 --json result.json";

po::options_description options() {
  po::options_description o("Options", 110);
  o.add_options()("help", "this text");
  add_step_options(o);
  add_simulation_options(o);
  o.add_options()("json", output_file(), "write the result as JSON to a file, or to standard output (-)");
  o.add_options()(
      "reproducible", po::bool_switch(),
      "with --json: leave out what the simulation itself took, so that equal runs give equal bytes");
  return o;
}

template <class Result>
void show(const Result& result, const po::variables_map& values) {
  if (values.count("json"))
    report::write_output(values["json"].as<std::string>(),
                         report::json(result, {kVersion, kCommit}, values["reproducible"].as<bool>()));
  else
    report::print(report::text(result));
}

int report_failed(const std::vector<result::Check>& checks) {
  int code = 0;
  for (const result::Check& c : checks) {
    if (c.ok) continue;
    std::cerr << "check failed: " << c.name << ": " << c.detail << "\n";
    code = 1;
  }
  return code;
}

}  // namespace

int run_command(const Arguments& arguments) {
  po::variables_map values;
  if (parse(arguments, options(), kUsage, kExample, values)) return 0;
  const bool reproducible = values["reproducible"].as<bool>();
  if (reproducible && !values.count("json")) throw InputError(Position{"--reproducible"}, "goes with --json");
  const StepRequest request = step_request(values);
  const config::Value tree = hardware_of(request);
  if (!config::is_system(tree)) {
    const result::StepResult result = simulate(request, tree, Process::child);
    show(result, values);
    return report_failed(result.checks);
  }
  const result::SystemResult result = simulate_system(request, tree);
  show(result, values);
  int code = report_failed(result.checks);
  for (const result::ProgramResult& p : result.programs) code = std::max(code, report_failed(p.step.checks));
  return code;
}

}  // namespace edgenpu::cli
