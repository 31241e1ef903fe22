// PointRunner of validate.h.
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "base/hash.h"
#include "hardware/worker.h"
#include "study/columns.h"
#include "study/energy_scope.h"
#include "study/pool.h"
#include "study/resolver.h"
#include "study/validate.h"

namespace edgenpu::study {

namespace {

// This program: results of another build are not reused.
std::string tool_id() {
  namespace fs = std::filesystem;
  std::error_code none;
  const fs::path self = fs::read_symlink("/proc/self/exe", none);
  if (none) return "";
  return fmt::format("{} {}", fs::file_size(self, none),
                     fs::last_write_time(self, none).time_since_epoch().count());
}

std::string model_text(const StepRequest& r) {
  const bool path = r.model.find('/') != std::string::npos;
  std::ifstream file(path ? r.model : r.data_dir + "/models/" + r.model + ".yaml", std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string name_in(const config::Value& tree, const char* path) {
  const config::Value* v = config::find_path(tree, path);
  return v && v->is_scalar() ? v->text() : "";
}

std::string to_line(const PointResult& r) {
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}", r.tokens_per_s, r.total_s, r.J_per_token,
                     r.roof_tokens_per_s, r.cpu_s, r.platform, r.runtime, r.failure);
}

PointResult from_line(const std::string& line) {
  std::vector<std::string> cells;
  std::size_t from = 0;
  for (std::size_t tab = 0; (tab = line.find('\t', from)) != std::string::npos; from = tab + 1)
    cells.push_back(line.substr(from, tab - from));
  cells.push_back(line.substr(from));
  if (cells.size() != 8) throw InternalError("a step's result came back in pieces");
  return {std::stod(cells[0]),
          std::stod(cells[1]),
          std::stod(cells[2]),
          std::stod(cells[3]),
          std::stod(cells[4]),
          cells[5],
          cells[6],
          cells[7]};
}

std::string one_line(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\t') c = ' ';
  return text;
}

double joules_per_token(const StepRequest& request, const config::Value& tree, const std::string& scope) {
  const CountsOutcome outcome = simulate_counts(request, {tree}, 1).front();
  if (!outcome.counts) throw InputError(tree.position(), outcome.why);
  const energy::Table table = energy::read_table(*tree.find("energy"));
  return joules_in(*outcome.counts, table, scope) / outcome.counts->tokens;
}

// In a process of its own.
PointResult run_step(const StepRequest& request, const config::Value& tree, const std::string& scope) {
  PointResult r;
  r.platform = name_in(tree, "name");
  r.runtime = name_in(tree, "runtime.name");
  try {
    // Before the step itself, which runs SystemC in this process: the counts come from one that forks.
    const double joules = scope.empty() ? 0 : joules_per_token(request, tree, scope);
    const result::StepResult step = simulate(request, tree, Process::own);
    for (const result::Check& c : step.checks)
      if (!c.ok) r.failure = "check failed: " + c.name + ": " + c.detail;
    r.tokens_per_s = step.metrics.tokens_per_s;
    r.total_s = step.total_s;
    r.J_per_token = step.metrics.energy_J_per_token.value_or(0);
    r.roof_tokens_per_s = step.roofline.memory_tokens_per_s.value_or(0);
    r.cpu_s = step.simulation.cpu_s;
    if (!scope.empty()) r.J_per_token = joules;
  } catch (const InfeasibleError& e) {
    r.failure = std::string("infeasible: ") + e.what();
  } catch (const InputError& e) {
    r.failure = e.what();
  }
  r.failure = one_line(r.failure);
  return r;
}

}  // namespace

PointRunner::PointRunner(int jobs, const std::string& cache)
    : jobs_(jobs > 0 ? jobs : hardware::processors()), cache_(cache), tool_(tool_id()) {
  read_cache();
}

void PointRunner::read_cache() {
  std::ifstream file(cache_);
  bool first = true;
  for (std::string line; std::getline(file, line); first = false) {
    // Steps are appended: not to a file that was something else.
    if (first && line.find('\t') == std::string::npos)
      throw InputError(Position{cache_, 1, 1}, "this is no file of finished steps");
    const auto tab = line.find('\t');
    if (tab == std::string::npos) continue;
    try {
      results_[line.substr(0, tab)] = from_line(line.substr(tab + 1));
    } catch (const std::exception&) {  // a line that was cut off is run again
    }
  }
}

void PointRunner::append_cache(const std::string& key, const std::string& text) const {
  if (cache_.empty()) return;
  std::ofstream file(cache_, std::ios::app);
  file << key << '\t' << text << '\n';
}

config::Value PointRunner::tree(const StepRequest& request, const std::vector<config::Override>& overrides) {
  auto file = files_.find(request.hardware);
  if (file == files_.end())
    file = files_
               .emplace(request.hardware,
                        config::HardwareFile(request.hardware, config::shipped_hardware(request.data_dir)))
               .first;
  return file->second.resolve(overrides, request.quant);
}

PointNames PointRunner::names(const StepRequest& request, const std::vector<config::Override>& overrides) {
  const config::Value resolved = tree(request, overrides);
  return {name_in(resolved, "name"), name_in(resolved, "runtime.name")};
}

std::string PointRunner::add(const StepRequest& request, const std::vector<config::Override>& overrides,
                             const std::string& scope) {
  Point p;
  p.request = request;
  p.scope = scope;
  p.tree = tree(request, overrides);
  std::string text = tool_ + normal_text(p.tree) + model_text(request);
  for (const NamedCell& c : workload_cells(request))
    if (c.name != "hardware") text += result::to_text(c.cell) + "|";
  p.key = content_hash(text + scope);
  std::string key = p.key;
  if (results_.count(key)) return key;
  for (const Point& w : waiting_)
    if (w.key == key) return key;
  waiting_.push_back(std::move(p));
  return key;
}

void PointRunner::run(const std::function<void(std::size_t, std::size_t)>& progress) {
  const std::vector<Point> points = std::move(waiting_);
  waiting_.clear();
  std::vector<std::int64_t> jobs;
  for (std::size_t i = 0; i < points.size(); ++i) jobs.push_back(static_cast<std::int64_t>(i));
  constexpr double kTimeout = 600;
  std::size_t done = 0;
  run_pool(
      jobs, jobs_, {kTimeout, 0},
      [&](std::int64_t i) {
        const Point& p = points[static_cast<std::size_t>(i)];
        return to_line(run_step(p.request, p.tree, p.scope));
      },
      [&](const Finished& f) {
        PointResult r;
        if (f.ok)
          r = from_line(f.text);
        else
          r.failure = one_line(f.text);
        const std::string& key = points[static_cast<std::size_t>(f.job)].key;
        if (f.ok) append_cache(key, f.text);
        cpu_s_ += f.cpu_s;
        results_[key] = r;
        if (progress) progress(++done, points.size());
      });
}

}  // namespace edgenpu::study
