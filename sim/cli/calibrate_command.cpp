#include "cli/commands.h"
#include "cli/options.h"
#include "cli/version.h"
#include "evidence/calibrate.h"
#include "report/calibration.h"
#include "report/output.h"
#include "report/study.h"

namespace edgenpu::cli {

namespace {

constexpr const char* kUsage =
    "Usage: edgenpu calibrate [options]\n"
    "Fits few physical parameters, pooled by class of platform and runtime, to published decode rates, and "
    "predicts each\n"
    "row by fits that have not seen its device, or its model. Writes what it found as YAML for 'validate "
    "--calibration'.";
constexpr const char* kExample =
    "edgenpu calibrate --cache calibrate.tsv --out hw_configs/published/calibrated.yaml\n"
    "  edgenpu calibrate --platform npu-rk3588";

po::options_description options() {
  po::options_description o("Options", 110);
  o.add_options()("help", "this text");
  add_measurement_options(o);
  o.add_options()  //
      ("specification", input_file(),
       "what may be calibrated [hw_configs/published/calibration.yaml]")                      //
      ("platform", po::value<std::string>(), "only the class that this platform belongs to")  //
      ("out", output_file(), "write the parameters as YAML to this file")                     //
      ("csv", output_file(), "write one line a measurement to this file")                     //
      ("json", output_file(), "write everything as JSON to a file, or to standard output (-)");
  return o;
}

}  // namespace

int calibrate_command(const Arguments& arguments) {
  po::variables_map values;
  if (parse(arguments, options(), kUsage, kExample, values)) return 0;
  evidence::CalibrateRequest r;
  set_measurement_options(values, r);
  r.specification = shipped_file(values, "specification", "/hw_configs/published/calibration.yaml");
  r.shares = data_dir() + "/hw_configs/published/bandwidth-shares.yaml";
  if (values.count("platform")) r.platform = values["platform"].as<std::string>();
  const result::Calibration c =
      evidence::calibrate(evidence::read_measurements(shipped_file(
                              values, "measurements", "/hw_configs/published/measurements.yaml")),
                          r);
  if (values.count("out")) report::write_output(values["out"].as<std::string>(), evidence::to_yaml(c));
  if (values.count("csv"))
    report::write_output(values["csv"].as<std::string>(), report::csv(report::table(c)));
  if (values.count("json"))
    report::write_output(values["json"].as<std::string>(), report::json(c, {kVersion, kCommit}));
  else
    report::print(report::text(c));
  return 0;
}

}  // namespace edgenpu::cli
