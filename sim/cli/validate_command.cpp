#include "base/error.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/version.h"
#include "evidence/llama_bench.h"
#include "evidence/validate.h"
#include "report/output.h"
#include "report/study.h"
#include "report/validation.h"

namespace edgenpu::cli {

namespace {

constexpr const char* kUsage =
    "Usage: edgenpu validate [FILE] [options]\n"
    "Simulates every row of a file of published measurements and shows measured beside simulated, the error, "
    "and the\n"
    "reason for each row that cannot be mapped; docs/validation.md has the present state. With "
    "--llama-bench, the file is\n"
    "what llama-bench wrote (json, jsonl, csv, md or sql) on a board that --hardware describes.";
constexpr const char* kExample =
    "edgenpu validate\n  edgenpu validate --llama-bench bench.json --hardware cpu-rk3588";

po::options_description options() {
  po::options_description o("Options", 110);
  o.add_options()("help", "this text");
  add_measurement_options(o);
  o.add_options()                                                                          //
      ("llama-bench", input_file(), "output of llama-bench instead, in any of its forms")  //
      ("hardware", name_or_file(), "the hardware of all rows, instead of the mapping's")   //
      ("metric", po::value<std::vector<std::string>>()->composing(),
       "decode, prefill, ttft or energy; may be repeated [all]")  //
      ("set", po::value<std::vector<std::string>>()->composing(),
       "path=value: override part of every hardware")  //
      ("calibration", input_file(),
       "apply the parameters found by 'edgenpu calibrate' (hw_configs/published/calibrated.yaml)")  //
      ("csv", output_file(), "write one line a figure to this file")                                //
      ("svg", output_file(), "write a plot of decode rates to this file")                           //
      ("json", output_file(), "write the result as JSON to a file, or to standard output (-)");
  return o;
}

std::vector<config::Override> overrides_of(const po::variables_map& values) {
  std::vector<config::Override> all;
  if (!values.count("set")) return all;
  for (const std::string& assignment : settings_of(values)) {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0)
      throw InputError({"--set " + assignment, 0, 0}, "expected path=value, for example memory.channels=4");
    all.push_back({assignment.substr(0, equals),
                   config::parse_text(assignment.substr(equals + 1), "--set " + assignment)});
  }
  return all;
}

evidence::ValidateRequest request_of(const po::variables_map& values) {
  evidence::ValidateRequest r;
  set_measurement_options(values, r);
  if (values.count("hardware")) r.hardware = values["hardware"].as<std::string>();
  if (values.count("calibration")) r.calibration = values["calibration"].as<std::string>();
  if (values.count("metric")) {
    r.metrics = values["metric"].as<std::vector<std::string>>();
    for (const std::string& m : r.metrics)
      if (m != "decode" && m != "prefill" && m != "ttft" && m != "energy")
        throw InputError({"--metric", 0, 0}, "'" + m + "' is not allowed; decode, prefill, ttft or energy");
  }
  r.overrides = overrides_of(values);
  return r;
}

evidence::Measurements measurements_of(const po::variables_map& values) {
  if (!values.count("llama-bench"))
    return evidence::read_measurements(
        shipped_file(values, "measurements", "/hw_configs/published/measurements.yaml"));
  refuse(values, {"measurements"}, "does not go with --llama-bench, which is a file of measurements itself");
  const std::string hardware = required(values, "hardware",
                                        "the description of the board, for example "
                                        "cpu-rk3588");
  return evidence::read_llama_bench(values["llama-bench"].as<std::string>(), hardware);
}

}  // namespace

int validate_command(const Arguments& arguments) {
  po::variables_map values;
  if (parse(arguments, options(), kUsage, kExample, values,
            po::positional_options_description().add("measurements", 1)))
    return 0;
  const evidence::ValidateRequest request = request_of(values);
  const evidence::Measurements measurements = measurements_of(values);
  const result::Validation all = evidence::validate(measurements, request);
  evidence::require_compared(all, measurements);
  if (values.count("csv"))
    report::write_output(values["csv"].as<std::string>(), report::csv(report::table(all)));
  if (values.count("svg"))
    report::write_output(values["svg"].as<std::string>(),
                         report::scatter_svg(all, "decode", "Decode, tokens/s (dashed: 20 %)"));
  if (values.count("json"))
    report::write_output(values["json"].as<std::string>(), report::json(all, {kVersion, kCommit}));
  else
    report::print(report::text(all));
  return all.above_roof == 0 ? 0 : 1;
}

}  // namespace edgenpu::cli
