#include "analysis/explain.h"
#include "cli/commands.h"
#include "cli/step_options.h"
#include "cli/version.h"
#include "report/explain.h"
#include "report/output.h"

namespace edgenpu::cli {

namespace {

constexpr const char* kUsage =
    "Usage: edgenpu explain --hardware FILE --model NAME [options]\n"
    "Says why a step takes as long as it does: its critical path by resource, the loss ledger, the top "
    "operators, and what 10 % less, 10 % more and twice as much of each main number of the hardware would "
    "change, by simulation on all cores.";
constexpr const char* kExample =
    "edgenpu explain --hardware npu-raiderchip-asic --model llama-3.1-8b --set "
    "dma.channels=1";

po::options_description options() {
  po::options_description o("Options", 110);
  o.add_options()("help", "this text");
  add_step_options(o);
  add_simulation_options(o);
  o.add_options()                                                               //
      ("jobs", po::value<std::string>(), "simulations at a time [processors]")  //
      ("json", output_file(), "write it as JSON to a file, or to standard output (-)");
  return o;
}

}  // namespace

int explain_command(const Arguments& arguments) {
  po::variables_map values;
  if (parse(arguments, options(), kUsage, kExample, values)) return 0;
  const int jobs = values.count("jobs") ? static_cast<int>(count_of(values, "jobs", 1)) : 0;
  const result::Explanation e = analysis::explain(step_request(values), jobs);
  if (values.count("json"))
    report::write_output(values["json"].as<std::string>(), report::json(e, {kVersion, kCommit}));
  else
    report::print(report::text(e));
  return e.step.all_checks_ok() ? 0 : 1;
}

}  // namespace edgenpu::cli
