#include <iostream>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/version.h"
#include "evidence/compare.h"
#include "evidence/platform_table.h"
#include "evidence/selection.h"
#include "report/compare.h"
#include "report/output.h"
#include "report/platform_table.h"
#include "report/selection.h"
#include "report/study.h"

namespace edgenpu::cli {

namespace {

constexpr const char* kUsage =
    "Usage: edgenpu compare [--hardware NAME|FILE]... [options]\n"
    "Simulates one decode step on each hardware description and shows them side by side; without --hardware, "
    "the rows of\n"
    "a published table, with its figures, the bounds of physics and a verdict on each figure.";
constexpr const char* kExample =
    "edgenpu compare\n  edgenpu compare --hardware cpu-rk3588 --hardware gpu-orin-nano "
    "--model llama-3.2-3b --normalise bandwidth";

po::options_description options() {
  po::options_description o("Options", 110);
  o.add_options()            //
      ("help", "this text")  //
      ("hardware", names_or_files()->composing(),
       "name in hw_configs/, or a hardware YAML; may be repeated")  //
      ("published", input_file(),
       "published table [hw_configs/published/platform-table.yaml]")                                       //
      ("model", name_or_file(), "name in models/, or a model YAML [as the published table]")               //
      ("quant", po::value<std::string>(), "quantisation mixture [as the published table]")                 //
      ("context", po::value<std::string>(), "tokens cached before the step [as the published table]")      //
      ("kv", po::value<std::string>()->default_value("f16"), "format of the KV cache: f16, q8_0 or q4_0")  //
      ("set", po::value<std::vector<std::string>>()->composing(),
       "path=value: override part of every hardware")  //
      ("normalise", po::value<std::string>()->default_value("none"),
       "also show tokens/s per GB/s (bandwidth) or per W (power); none, bandwidth or power")  //
      ("explain-published", po::bool_switch(),
       "find the model, quantisation and batch under which each published rate would hold")  //
      ("selection-map", po::bool_switch(),
       "for models from 0.1 to 14B and limits on latency, the platform with the least EDP")  //
      ("platform-table", po::bool_switch(),
       "1B, 3B and 8B on the platforms of hw_configs/published/platform-list.yaml, beside measured rates")  //
      ("power-limit", po::value<double>()->default_value(30), "of the selection map, in W")                 //
      ("csv", output_file(), "write the selection map or the platform table to a CSV file")                 //
      ("svg", output_file(), "write the selection map as a picture")                                        //
      ("cache", cache_file(), "of these three: keep and reuse finished steps")                              //
      ("jobs", po::value<std::string>(), "simulations at a time [processors]")                              //
      ("detail", po::value<std::string>()->default_value("row"),
       "memory model: row (fast) or burst (reference)")  //
      ("repeat", po::value<std::string>()->default_value("memo"),
       "memo: equal layers stand for each other; full")  //
      ("split-svg", output_file(),
       "also write a picture of each platform's energy by what it is for")  //
      ("uncertainty", po::value<std::string>()->default_value("0"),
       "also give ranges and the odds of the smaller EDP: simulations a platform with other values of "
       "assumed "
       "hardware numbers, for example 16")                                    //
      ("seed", po::value<std::string>()->default_value("1"), "of the draws")  //
      ("json", output_file(), "write the result as JSON to a file, or to standard output (-)");
  return o;
}

evidence::CompareRequest request_of(const po::variables_map& values) {
  evidence::CompareRequest r;
  r.data_dir = data_dir();
  if (values.count("hardware")) r.hardware = values["hardware"].as<std::vector<std::string>>();
  r.overrides = settings_of(values);
  r.published = values.count("published") ? values["published"].as<std::string>()
                                          : r.data_dir + "/hw_configs/published/platform-table.yaml";
  if (values.count("model")) r.model = values["model"].as<std::string>();
  if (values.count("quant")) r.quant = values["quant"].as<std::string>();
  if (values.count("context")) r.context = count_of(values, "context", 0);
  if (values.count("jobs")) r.jobs = static_cast<int>(count_of(values, "jobs", 1));
  r.kv = values["kv"].as<std::string>();
  r.normalise = choice_of(values, "normalise", {"none", "bandwidth", "power"});
  r.burst_detail = choice_of(values, "detail", {"row", "burst"}) == "burst";
  r.uncertainty = count_of(values, "uncertainty", 0);
  r.seed = static_cast<std::uint64_t>(count_of(values, "seed", 0));
  r.memo = choice_of(values, "repeat", {"memo", "full"}) == "memo";
  return r;
}

evidence::SelectionRequest selection_of(const po::variables_map& values) {
  evidence::SelectionRequest r;
  const evidence::CompareRequest c = request_of(values);
  r.hardware = c.hardware;
  r.published = c.published;
  r.data_dir = c.data_dir;
  r.jobs = c.jobs;
  r.quant = c.quant;
  r.context = c.context;
  if (values.count("cache")) r.cache = values["cache"].as<std::string>();
  r.power_limit_W = values["power-limit"].as<double>();
  if (!(r.power_limit_W > 0) || r.power_limit_W > 1e6)
    throw InputError(Position{"--power-limit"}, "a number of watts above 0 and up to 1000000 is needed");
  r.models = {"smollm2-135m", "qwen2.5-0.5b", "llama-3.2-1b", "qwen2.5-1.5b", "llama-3.2-3b",
              "qwen3-4b",     "llama-2-7b",   "llama-3.1-8b", "qwen2.5-14b"};
  if (c.model) r.models = {*c.model};
  r.limits_ms = {10, 25, 50, 100, 250, 1000};
  r.progress = step_progress();
  return r;
}

// The one of the three tables that is asked for beside the plain comparison; "" if none.
std::string table_of(const po::variables_map& values) {
  std::string found;
  for (const char* name : {"platform-table", "selection-map", "explain-published"}) {
    if (!values[name].as<bool>()) continue;
    if (!found.empty()) throw InputError(Position{std::string("--") + name}, "does not go with --" + found);
    found = name;
  }
  return found;
}

void refuse_unused(const po::variables_map& values, const std::string& table) {
  const bool plain = table.empty(), map = table == "selection-map", fixed = table == "platform-table";
  if (!plain)
    refuse(values, {"kv", "set", "normalise", "detail", "repeat", "split-svg", "uncertainty", "seed", "json"},
           "does not go with --" + table);
  if (fixed)
    refuse(values, {"hardware", "published", "model", "quant", "context"}, "does not go with --" + table);
  // Its rows name the hardware, and of each model it tries several quantisations.
  if (table == "explain-published") refuse(values, {"hardware", "quant"}, "does not go with --" + table);
  if (!map) refuse(values, {"power-limit", "svg"}, "goes with --selection-map");
  if (!map && !fixed) refuse(values, {"csv"}, "goes with --selection-map or --platform-table");
  if (plain) refuse(values, {"cache"}, "goes with --selection-map, --platform-table or --explain-published");
  if (plain && count_of(values, "uncertainty", 0) == 0) refuse(values, {"seed"}, "goes with --uncertainty");
}

int selection_command(const po::variables_map& values) {
  const result::SelectionMap map = evidence::selection_map(selection_of(values));
  if (values.count("csv"))
    report::write_output(values["csv"].as<std::string>(), report::csv(report::table(map)));
  if (values.count("svg")) report::write_output(values["svg"].as<std::string>(), report::svg(map));
  report::print(report::text(map));
  return 0;
}

int platform_table_command(const po::variables_map& values) {
  const std::string published = data_dir() + "/hw_configs/published/";
  evidence::PlatformTableRequest r;
  r.list = published + "platform-list.yaml";
  r.mapping = published + "mapping.yaml";
  r.data_dir = data_dir();
  if (values.count("cache")) r.cache = values["cache"].as<std::string>();
  if (values.count("jobs")) r.jobs = static_cast<int>(count_of(values, "jobs", 1));
  r.progress = step_progress();
  const result::PlatformTable table =
      evidence::platform_table(evidence::read_measurements(published + "measurements.yaml"), r);
  if (values.count("csv"))
    report::write_output(values["csv"].as<std::string>(), report::csv(report::table(table)));
  report::print(report::text(table));
  return 0;
}

}  // namespace

int compare_command(const Arguments& arguments) {
  po::variables_map values;
  if (parse(arguments, options(), kUsage, kExample, values)) return 0;
  const std::string table = table_of(values);
  refuse_unused(values, table);
  if (table == "platform-table") return platform_table_command(values);
  if (table == "selection-map") return selection_command(values);
  if (table == "explain-published") {
    report::print(report::text(evidence::explain_published(selection_of(values))));
    return 0;
  }
  const result::Comparison comparison = evidence::compare(request_of(values));
  if (values.count("split-svg"))
    report::write_output(values["split-svg"].as<std::string>(), report::split_svg(comparison));
  if (values.count("json"))
    report::write_output(values["json"].as<std::string>(), report::json(comparison, {kVersion, kCommit}));
  else
    report::print(report::text(comparison));
  if (comparison.all_checks_ok()) return 0;
  std::cerr << "a check failed; see the notes\n";
  return 1;
}

}  // namespace edgenpu::cli
