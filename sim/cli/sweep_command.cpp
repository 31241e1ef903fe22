#include <filesystem>
#include <fmt/format.h>
#include <iostream>
#include <set>
#include <thread>

#include "base/error.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/sweep_progress.h"
#include "cli/version.h"
#include "report/output.h"
#include "report/study.h"
#include "sweep/sweep.h"
#include "workload/model_source.h"

namespace edgenpu::cli {

namespace {

constexpr const char* kUsage =
    "Usage: edgenpu sweep STUDY.yaml [options]\n"
    "Runs the points of a study on all cores and keeps the results in a file; docs/studies.md has the "
    "format. Look at the\n"
    "results with 'edgenpu results'. Exit code 1 if a point failed.";
constexpr const char* kExample = "edgenpu sweep hw_configs/studies/channels-refresh.yaml --resume";

po::options_description options() {
  po::options_description o("Options", 110);
  o.add_options()                                  //
      ("help", "this text")                        //
      ("study", input_file(), "the study's YAML")  //
      ("out", database_file(),
       "file of the results [NAME.sqlite, with --shard NAME.I-of-N.sqlite]")      //
      ("jobs", po::value<std::string>(), "points at a time [number of cores]")    //
      ("resume", po::bool_switch(), "run only what is missing or failed before")  //
      ("shard", po::value<std::string>(),
       "i/n: run every n-th point from the i-th on; merge the results later")  //
      ("fail-fast", po::bool_switch(), "stop at the first point that fails")   //
      ("dry-run", po::bool_switch(), "print the points and run nothing")       //
      ("set", po::value<std::vector<std::string>>()->composing(),
       "path=value for all points, workload paths too");
  return o;
}

void read_shard(const po::variables_map& values, sweep::SweepOptions& options) {
  if (!values.count("shard")) return;
  const std::string text = values["shard"].as<std::string>();
  int used = 0;
  long long i = 0, n = 0;
  if (std::sscanf(text.c_str(), "%lld/%lld%n", &i, &n, &used) != 2 || used != static_cast<int>(text.size()) ||
      i < 1 || n < i || n > 1'000'000)
    throw InputError({"--shard", 0, 0},
                     "'" + text + "' is not allowed; i/n with 1 <= i <= n, for example 2/4");
  options.shard = i;
  options.shards = n;
}

std::string results_file(const po::variables_map& values, const sweep::Study& s,
                         const sweep::SweepOptions& o) {
  if (values.count("out")) {
    const std::string out = values["out"].as<std::string>();
    if (out.empty() || out == "-")
      throw InputError({"--out", 0, 0},
                       "'" + out + "' is no file; results go to a file, where --resume finds them");
    return out;
  }
  if (o.shards == 1) return s.name + ".sqlite";
  return fmt::format("{}.{}-of-{}.sqlite", s.name, o.shard, o.shards);
}

void add_overrides(const po::variables_map& values, sweep::Study& s) {
  if (!values.count("set")) return;
  for (const std::string& assignment : settings_of(values)) {
    const std::string source = "--set " + assignment;
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0)
      throw InputError({source, 0, 0}, "expected path=value, for example memory.channels=4");
    config::Value value = config::parse_text(assignment.substr(equals + 1), source);
    if (value.is_scalar()) value = config::Value::scalar(value.text(), Position{source});  // has no lines
    s.base.push_back({assignment.substr(0, equals), std::move(value)});
  }
}

int print_points(const sweep::Expansion& e) {
  result::Table table{{"number", "id"}, {}};
  table.columns.insert(table.columns.end(), e.columns().begin(), e.columns().end());
  table.columns.push_back("note");
  for (const sweep::Point& p : e.points()) {
    std::vector<result::Cell> row = {p.number, p.id};
    row.insert(row.end(), p.inputs.begin(), p.inputs.end());
    row.emplace_back(p.broken.empty() ? "" : "breaks the constraint " + p.broken);
    table.rows.push_back(std::move(row));
  }
  report::print(report::study_text(table));
  const sweep::Study& s = e.study();
  std::cerr << fmt::format("{}{}{}\n", s.name, s.question.empty() ? "" : ": ", one_line(s.question))
            << fmt::format("{} points, {} excluded; of each at most {} s and {} MiB\n", e.points().size(),
                           e.excluded(), s.timeout_s, s.memory_B >> 20);
  return 0;
}

// What the models of the points are not right in, once each.
void print_stand_ins(const sweep::Expansion& expansion) {
  std::set<std::string> seen;
  for (const sweep::Point& point : expansion.points()) {
    const StepRequest r = expansion.resolve(point).request;
    if (!r.trace_file.empty() || !seen.insert(r.model).second) continue;
    const workload::Model m = workload::open_model(r.model, r.quant, data_dir()).model;
    if (!m.stand_in.empty()) std::cerr << fmt::format("{} is a stand-in: {}\n", model_id(m), m.stand_in);
  }
}

}  // namespace

int sweep_command(const Arguments& arguments) {
  po::variables_map values;
  if (parse(arguments, options(), kUsage, kExample, values,
            po::positional_options_description().add("study", 1)))
    return 0;
  if (values["dry-run"].as<bool>())
    refuse(values, {"out", "jobs", "resume", "shard", "fail-fast"},
           "does not go with --dry-run, which runs nothing");
  sweep::Study s = sweep::read_study(
      required(values, "study", "a study's YAML, for example hw_configs/studies/channels-refresh.yaml"));
  add_overrides(values, s);
  sweep::SweepOptions o;
  o.tool = fmt::format("{} ({})", kVersion, kCommit);
  const sweep::Expansion expansion(s, data_dir(), o.tool);
  for (const std::string& note : expansion.notes()) std::cerr << "note: " << one_line(note) << "\n";
  read_shard(values, o);
  if (values["dry-run"].as<bool>()) return print_points(expansion);
  const auto most = static_cast<std::int64_t>(expansion.points().size());
  o.jobs = static_cast<int>(std::min(most, values.count("jobs")
                                               ? count_of(values, "jobs", 1)
                                               : std::max(1U, std::thread::hardware_concurrency())));
  o.resume = values["resume"].as<bool>();
  o.fail_fast = values["fail-fast"].as<bool>();
  o.results = results_file(values, s, o);
  SweepProgress progress(std::cerr);
  const sweep::SweepState end =
      sweep::run_sweep(expansion, o, [&](const sweep::SweepState& state) { progress.show(state); });
  progress.finish(end, o.results);
  print_stand_ins(expansion);
  return end.failed > 0 || end.interrupted ? 1 : 0;
}

}  // namespace edgenpu::cli
