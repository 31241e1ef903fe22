// PointRunner of validate.h.
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "base/hash.h"
#include "evidence/energy_scope.h"
#include "evidence/validate.h"
#include "process/pool.h"
#include "sweep/columns.h"
#include "sweep/resolver.h"

namespace edgenpu::evidence {

namespace {

// This program: results of another build are not reused.
std::string tool_id() {
  namespace fs = std::filesystem;
  std::error_code none;
  const fs::path self = fs::read_symlink("/proc/self/exe", none);
  if (none) return "";
  const auto size = fs::file_size(self, none);
  return fmt::format("{} {}", size, fs::last_write_time(self, none).time_since_epoch().count());
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

double joules_per_token(const StepRequest& request, const config::Value& tree, const std::string& scope) {
  const Outcome<StepCounts> outcome = simulate_counts(request, {tree}, 1).front();
  if (!outcome) throw InputError(tree.position(), outcome.why().text);
  const energy::Table table = energy::read_table(*tree.find("energy"));
  return joules_in(*outcome, table, scope) / outcome->tokens;
}

Outcome<StepFigures> figures_of(const StepRequest& request, const config::Value& tree,
                                const std::string& scope) {
  // Before the step itself, which runs SystemC in this process: the counts come from one that forks.
  const double joules = scope.empty() ? 0 : joules_per_token(request, tree, scope);
  const result::StepResult step = simulate(request, tree, Process::own);
  std::string failed;
  for (const result::Check& c : step.checks)
    if (!c.ok) failed = "check failed: " + c.name + ": " + c.detail;
  if (!failed.empty()) return WhyNot{Failure::ours, failed};
  StepFigures f;
  f.tokens_per_s = step.metrics.tokens_per_s;
  f.total_s = step.total_s;
  f.J_per_token = scope.empty() ? step.metrics.energy_J_per_token.value_or(0) : joules;
  f.roof_tokens_per_s = step.roofline.memory_tokens_per_s.value_or(0);
  f.cpu_s = step.simulation.cpu_s;
  return f;
}

// In a process of its own, which is lost with what neither does not fit nor is wrong with the input.
PointResult run_step(const StepRequest& request, const config::Value& tree, const std::string& scope) {
  PointResult r{name_in(tree, "name"), name_in(tree, "runtime.name"), {}};
  try {
    r.figures = figures_of(request, tree, scope);
  } catch (const InfeasibleError&) {
    r.figures = why_not();
  } catch (const InputError&) {
    r.figures = why_not();
  }
  return r;
}

}  // namespace

PointRunner::PointRunner(int jobs, const std::string& cache)
    : jobs_(jobs > 0 ? jobs : process::processors()),
      cache_(cache),
      tool_(tool_id()),
      results_(read_steps(cache)) {}

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
  std::string text = tool_ + sweep::normal_text(p.tree) + model_text(request);
  for (const sweep::NamedCell& c : sweep::workload_cells(request))
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
  process::run_pool(
      jobs, jobs_, {kTimeout, 0},
      [&](std::int64_t i) -> process::Work {
        const Point& p = points[static_cast<std::size_t>(i)];
        return [&p] { return to_line(run_step(p.request, p.tree, p.scope)); };
      },
      [&](const process::Finished& f) {
        PointResult r;
        if (!f.outcome)
          r.figures = f.outcome.why();
        else if (!from_line(*f.outcome, r))
          throw InternalError("a step's result came back in pieces");
        const std::string& key = points[static_cast<std::size_t>(f.job)].key;
        if (f.outcome) append_step(cache_, key, *f.outcome);
        cpu_s_ += f.cpu_s;
        results_[key] = r;
        if (progress) progress(++done, points.size());
      });
}

}  // namespace edgenpu::evidence
