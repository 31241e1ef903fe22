#include <algorithm>
#include <fmt/format.h>
#include <iostream>
#include <map>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "base/suggest.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/paths.h"
#include "report/output.h"
#include "report/study.h"
#include "sweep/metrics.h"
#include "sweep/query.h"
#include "sweep/store.h"

namespace edgenpu::cli {

namespace {

using result::Table;

constexpr const char* kUsage =
    "Usage: edgenpu results table|pareto|effects|best FILE [options]\n"
    "       edgenpu results merge OUT FILE...\n"
    "Shows the results of a study: its points as a table, its Pareto front, what each input does on its own, "
    "or the best\n"
    "point; or merges results files (shards).";
constexpr const char* kExample =
    "edgenpu results pareto channels-refresh.sqlite --minimise ms_per_token,energy_J_per_token --where "
    "\"power_W < "
    "10\"";

po::options_description options() {
  po::options_description o("Options", 110);
  o.add_options()                                                                    //
      ("help", "this text")                                                          //
      ("action", po::value<std::string>(), "table, pareto, effects, best or merge")  //
      ("files", input_files(), "results files")                                      //
      ("study", po::value<std::string>(), "the study, if the file has several")      //
      ("where", po::value<std::string>()->default_value(""),
       "condition in SQL, for example \"power_W < 10 and ms_per_token < 50\"")  //
      ("columns", po::value<std::string>(),
       "names with commas between, or 'all' [inputs and main metrics]")                                //
      ("sort", po::value<std::string>(), "column; a '-' before it: falling")                           //
      ("limit", po::value<std::string>(), "table: at most so many rows")                               //
      ("minimise", po::value<std::string>(), "pareto, best: columns with commas between")              //
      ("maximise", po::value<std::string>(), "pareto, best: columns with commas between")              //
      ("metric", po::value<std::string>()->default_value("tokens_per_s"), "effects: what to average")  //
      ("csv", output_file(), "write all digits as CSV to a file, or to standard output (-)")           //
      ("times", po::bool_switch(), "with --columns all: host and times too, which differ between runs");
  return o;
}

std::vector<std::string> words(const po::variables_map& values, const std::string& option) {
  std::vector<std::string> list;
  if (!values.count(option)) return list;
  const std::string text = values[option].as<std::string>();
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    list.push_back(text.substr(start, comma - start));
    start = comma + 1;
  }
  return list;
}

std::string study_of(const po::variables_map& values, const sweep::Store& store, const std::string& file) {
  const std::vector<std::string> names = store.studies();
  if (names.empty()) throw InputError({file, 0, 0}, "has no study");
  if (!values.count("study")) {
    if (names.size() == 1) return names[0];
    throw InputError({"--study", 0, 0}, "the file has several studies; allowed: " + join(names));
  }
  const std::string name = values["study"].as<std::string>();
  if (std::count(names.begin(), names.end(), name)) return name;
  throw InputError({"--study", 0, 0},
                   "no study '" + name + "'; there are: " + join(names) + did_you_mean(name, names));
}

// Between `message` and the first output stand the inputs.
std::vector<std::string> inputs_of(const Table& t) {
  const auto end = std::find(t.columns.begin(), t.columns.end(), sweep::output_columns().front());
  return {t.columns.begin() + 4, end};
}

std::vector<std::string> columns_of(const po::variables_map& values, const Table& t,
                                    const std::vector<std::string>& extra) {
  const std::vector<std::string> asked = words(values, "columns");
  std::vector<std::string> columns;
  if (asked == std::vector<std::string>{"all"}) {
    const std::set<std::string> hidden(sweep::time_columns().begin(), sweep::time_columns().end());
    for (const std::string& c : t.columns)
      if (values["times"].as<bool>() || !hidden.count(c)) columns.push_back(c);
    return columns;
  }
  if (!asked.empty()) return asked;
  columns = {"number", "status"};
  for (const std::string& c : inputs_of(t)) columns.push_back(c);
  for (const std::string& c : extra)
    if (!std::count(columns.begin(), columns.end(), c)) columns.push_back(c);
  return columns;
}

const std::vector<std::string> kMainMetrics = {"tokens_per_s", "ms_per_token", "energy_J_per_token",
                                               "power_W",      "edp_J_s",      "fraction_of_roof"};

std::vector<sweep::Objective> objectives(const po::variables_map& values) {
  std::vector<sweep::Objective> list;
  for (const std::string& c : words(values, "minimise")) list.push_back({c, false});
  for (const std::string& c : words(values, "maximise")) list.push_back({c, true});
  if (list.empty())
    throw InputError({"--minimise", 0, 0}, "is needed, or --maximise: the columns to compare by");
  return list;
}

void add_where_said(const Table& t, const std::string& column, std::vector<std::string>& columns) {
  const std::size_t c = sweep::column_index(t, column, {});
  const bool any = std::any_of(t.rows.begin(), t.rows.end(),
                               [&](const auto& r) { return !result::to_text(r[c]).empty(); });
  if (any && !std::count(columns.begin(), columns.end(), column)) columns.push_back(column);
}

// Texts belong into a table only where a row has one; notes, which are long, only into CSV.
void add_texts(const po::variables_map& values, const Table& t, std::vector<std::string>& columns) {
  if (values.count("columns")) return;
  add_where_said(t, "message", columns);
  if (values.count("csv")) add_where_said(t, "notes", columns);
}

void tell_notes(const Table& t) {
  for (const std::string& note : sweep::row_notes(t)) std::cerr << "note: " << one_line(note) << "\n";
}

int print(const po::variables_map& values, const Table& table) {
  if (values.count("csv")) {
    report::write_output(values["csv"].as<std::string>(), report::csv(table));
  } else {
    report::print(report::study_text(table));
  }
  return 0;
}

int show_table(const po::variables_map& values, Table t) {
  if (values.count("sort")) {
    std::string column = values["sort"].as<std::string>();
    const bool falling = !column.empty() && column[0] == '-';
    t = sweep::sorted(t, falling ? column.substr(1) : column, falling);
  }
  std::vector<std::string> columns = columns_of(values, t, kMainMetrics);
  if (values.count("limit"))
    t.rows.resize(
        std::min<std::size_t>(t.rows.size(), static_cast<std::size_t>(count_of(values, "limit", 1))));
  add_texts(values, t, columns);
  tell_notes(t);
  return print(values, sweep::selected(t, columns));
}

// Says which points are not held against each other.
std::vector<std::string> questions(const Table& t, const std::vector<sweep::Objective>& goals) {
  std::vector<std::string> apart = sweep::questions(t, inputs_of(t), goals);
  if (!apart.empty())
    std::cerr << "note: points that differ in " << join(apart) << " are not compared with each other\n";
  return apart;
}

int show_front(const po::variables_map& values, const Table& t) {
  const auto goals = objectives(values);
  const Table front = sweep::pareto(t, goals, questions(t, goals));
  std::vector<std::string> extra;
  for (const sweep::Objective& o : goals) extra.push_back(o.column);
  std::vector<std::string> columns = columns_of(values, t, extra);
  if (!std::count(columns.begin(), columns.end(), "front")) columns.insert(columns.begin(), "front");
  add_texts(values, front, columns);
  tell_notes(front);
  return print(values, sweep::selected(front, columns));
}

int show_best(const po::variables_map& values, const Table& t) {
  const auto goals = objectives(values);
  if (goals.size() != 1)
    throw InputError({"best", 0, 0}, "takes one column to compare by; for several there is 'pareto'");
  const Table best = sweep::best(t, goals[0], questions(t, goals));
  std::vector<std::string> columns = columns_of(values, t, kMainMetrics);
  add_texts(values, best, columns);
  tell_notes(best);
  const Table shown = sweep::selected(best, columns);
  if (values.count("csv")) return print(values, shown);
  if (best.rows.empty())
    std::cerr << "no point to choose from: " << one_line(sweep::why_none(t, goals)) << "\n";
  for (std::size_t i = 0; i < shown.rows.size(); ++i)
    report::print((i ? "\n" : "") + report::study_card(shown, i));
  return best.rows.empty() ? 3 : 0;
}

int show_effects(const po::variables_map& values, const Table& t, const std::vector<int>& groups) {
  const sweep::Effects effects =
      sweep::main_effects(t, inputs_of(t), groups, values["metric"].as<std::string>());
  tell_notes(t);
  for (const std::string& note : effects.notes) std::cerr << "note: " << one_line(note) << "\n";
  return print(values, effects.table);
}

void refuse_unused(const po::variables_map& values, const std::string& action) {
  const auto only = [&](const std::vector<std::string>& options, const std::vector<std::string>& actions) {
    if (std::count(actions.begin(), actions.end(), action) == 0)
      refuse(values, options, "goes with 'results " + join(actions) + "'");
  };
  only({"study", "where", "csv"}, {"table", "pareto", "effects", "best"});
  only({"columns", "times"}, {"table", "pareto", "best"});
  only({"sort", "limit"}, {"table"});
  only({"minimise", "maximise"}, {"pareto", "best"});
  only({"metric"}, {"effects"});
  if (!values.count("columns") || values["columns"].as<std::string>() != "all")
    refuse(values, {"times"}, "goes with --columns all");
}

// Everything that can be refused is refused before OUT is touched.
void check_merge(const std::vector<std::string>& files) {
  if (files.size() < 2) throw InputError({"merge", 0, 0}, "needs the file to write and at least one to read");
  check_new_file(files[0], {files.begin() + 1, files.end()});
  std::map<std::string, std::pair<std::string, std::string>> known;  // by study: hash and file
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (i == 0 && kind_of(files[0]) == PathKind::absent) continue;
    for (const auto& [name, hash] : sweep::Store(files[i], sweep::Store::Mode::read).hashes()) {
      const auto [first, fresh] = known.emplace(name, std::pair(hash, files[i]));
      if (!fresh && first->second.first != hash)
        throw InputError(
            {files[i], 0, 0},
            fmt::format("its study '{}' has other points, inputs or constraints than the one of that name "
                        "in {}: the study or the tool changed in between",
                        name, first->second.second));
    }
  }
}

int merge(const std::vector<std::string>& files) {
  check_merge(files);
  sweep::Store out(files[0], sweep::Store::Mode::write);
  for (std::size_t i = 1; i < files.size(); ++i) out.merge_from(files[i]);
  for (const std::string& name : out.studies()) {
    const Table t = out.points(name);
    const std::size_t status = sweep::column_index(t, "status", {});
    std::int64_t missing = 0;
    for (const auto& row : t.rows) missing += row[status] == result::Cell(std::string("missing"));
    std::cerr << fmt::format("{}: {} points, {} missing\n", one_line(name), t.rows.size(), missing);
  }
  return 0;
}

}  // namespace

int results_command(const Arguments& arguments) {
  po::variables_map values;
  po::positional_options_description positional;
  positional.add("action", 1).add("files", -1);
  if (parse(arguments, options(), kUsage, kExample, values, positional)) return 0;
  required(values, "action", "table, pareto, effects, best or merge");
  const std::string action = choice_of(values, "action", {"table", "pareto", "effects", "best", "merge"});
  refuse_unused(values, action);
  if (!values.count("files")) throw InputError({action, 0, 0}, "needs a results file");
  const auto files = values["files"].as<std::vector<std::string>>();
  if (action == "merge") return merge(files);
  if (files.size() > 1)
    throw InputError({action, 0, 0}, "takes one results file; 'merge' makes one of several");
  const sweep::Store store(files[0], sweep::Store::Mode::read);
  const std::string name = study_of(values, store, files[0]);
  std::int64_t silent = 0;
  const Table t = sweep::filtered(store.points(name), values["where"].as<std::string>(), &silent);
  if (silent > 0)
    std::cerr << fmt::format(
        "note: --where is neither true nor false for {} points, which have no value there\n", silent);
  if (action == "pareto") return show_front(values, t);
  if (action == "best") return show_best(values, t);
  if (action == "effects") return show_effects(values, t, store.groups(name));
  return show_table(values, t);
}

}  // namespace edgenpu::cli
