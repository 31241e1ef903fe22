#include "cli/commands.h"
#include "cli/step_options.h"
#include "report/output.h"
#include "report/plan.h"
#include "report/study.h"

namespace edgenpu::cli {

namespace {

constexpr const char* kUsage =
    "Usage: edgenpu plan --hardware FILE --model NAME [options]\n"
    "Shows how an NPU works through the operators of a step: order of loops, tiles, what stays on the chip, "
    "DRAM "
    "bytes, and the next best plan. lowering.plan in the hardware file changes it.";
constexpr const char* kExample =
    "edgenpu plan --hardware npu-raiderchip-asic --model llama-3.1-8b --phase prefill "
    "--set lowering.plan.ffn_down.order=activations";

po::options_description options() {
  po::options_description o("Options", 110);
  o.add_options()("help", "this text");
  add_step_options(o);
  o.add_options()                                                                             //
      ("json", output_file(), "write the plan as JSON to a file, or to standard output (-)")  //
      ("csv", output_file(), "write the plan as CSV to a file, or to standard output (-)");
  return o;
}

}  // namespace

int plan_command(const Arguments& arguments) {
  po::variables_map values;
  if (parse(arguments, options(), kUsage, kExample, values)) return 0;
  const result::Table plan = plan_of(step_request(values));
  if (values.count("json")) report::write_output(values["json"].as<std::string>(), report::plan_json(plan));
  if (values.count("csv")) report::write_output(values["csv"].as<std::string>(), report::csv(plan));
  if (!values.count("json") && !values.count("csv")) report::print(report::plan_text(plan));
  return 0;
}

}  // namespace edgenpu::cli
