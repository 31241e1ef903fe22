#include <fmt/format.h>

#include "base/error.h"
#include "base/suggest.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/step_options.h"
#include "report/output.h"
#include "workload/import_topology.h"
#include "workload/trace_file.h"

namespace edgenpu::cli {

namespace {

constexpr const char* kUsage =
    "Usage: edgenpu trace generate --model NAME [options]\n"
    "       edgenpu trace show FILE\n"
    "       edgenpu trace import TOPOLOGY.csv [--format F16] [--out FILE]\n"
    "Writes the operators of a step as a trace file, shows one as a table, or makes one of a SCALE-Sim "
    "topology.";
constexpr const char* kExample = "edgenpu trace generate --model llama-3.2-1b --context 1024 --out step.yaml";

po::options_description options() {
  po::options_description o("Options", 110);
  o.add_options()("help", "this text");
  add_workload_options(o);
  o.add_options()  //
      ("out", output_file()->default_value("-"),
       "generate, import: file, or standard output (-)")                                                  //
      ("format", po::value<std::string>()->default_value("F16"), "import: number format of the weights")  //
      ("action", po::value<std::string>(), "generate, show or import")                                    //
      ("file", input_file(), "show: the trace file; import: the topology");
  return o;
}

void show(const workload::Trace& trace) {
  std::string text = fmt::format(
      "{} {}, {}, context {}, {} operators\n\n", one_line(trace.model), one_line(trace.quant),
      trace.phase == workload::Phase::decode ? "decode" : "prefill", trace.context, trace.operators.size());
  text += fmt::format("{:<28} {:<10} {:>14} {:>14} {:>16}\n", "operator", "kind", "weights B", "KV read B",
                      "MACs");
  for (const workload::Operator& op : trace.operators)
    text += fmt::format("{:<28} {:<10} {:>14} {:>14} {:>16}\n", one_line(op.name),
                        workload::kind_name(op.body), workload::weight_bytes(op.body).count(),
                        workload::kv_read_bytes(op.body).count(), workload::macs(op.body).count());
  text += fmt::format("\nread {} B, written {} B, {} MACs; resident {} B of weights, {} B of KV cache\n",
                      workload::requested_read(trace).count(), workload::requested_write(trace).count(),
                      workload::total_macs(trace).count(), trace.resident_weights.count(),
                      trace.resident_kv.count());
  report::print(text);
}

void import(const po::variables_map& values) {
  const vocabulary::Format format =
      *vocabulary::format_by_name(choice_of(values, "format", vocabulary::format_names()));
  const workload::Trace trace =
      workload::import_topology(required(values, "file", "the topology to import"), format);
  report::write_output(values["out"].as<std::string>(), workload::write_trace(trace));
}

}  // namespace

int trace_command(const Arguments& arguments) {
  po::positional_options_description positional;
  positional.add("action", 1).add("file", 1);
  po::variables_map values;
  if (parse(arguments, options(), kUsage, kExample, values, positional)) return 0;
  required(values, "action", "generate, show or import");
  const std::string action = choice_of(values, "action", {"generate", "show", "import"});
  if (action != "generate") refuse(values, workload_options(), "goes with 'trace generate'");
  if (action != "import") refuse(values, {"format"}, "goes with 'trace import'");
  if (action == "show") refuse(values, {"out"}, "goes with 'trace generate' and 'trace import'");
  if (action == "generate") refuse(values, {"file"}, "goes with 'trace show' and 'trace import'");
  if (action == "import") {
    import(values);
    return 0;
  }
  if (action == "show") {
    show(workload::read_trace(required(values, "file", "the trace file to show")));
    return 0;
  }
  StepRequest request;
  read_workload_options(values, request);
  report::write_output(values["out"].as<std::string>(), workload::write_trace(trace_of(request)));
  return 0;
}

}  // namespace edgenpu::cli
