#include "evidence/selection.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/error.h"
#include "evidence/published.h"
#include "evidence/validate.h"
#include "workload/model.h"
#include "workload/tensors.h"

namespace edgenpu::evidence {

namespace {

using result::PublishedStep;
using result::SelectionFigures;
using result::SelectionMap;

StepRequest step_of(const SelectionRequest& r, const PublishedTable& table, const std::string& hardware,
                    const std::string& model, const std::string& quant, std::int64_t batch) {
  StepRequest s;
  s.hardware = hardware;
  s.model = model;
  s.quant = quant;
  s.context = r.context.value_or(table.context);
  s.batch = batch;
  s.data_dir = r.data_dir;
  return s;
}

// A model that does not fit is a result; any other failure is an error.
void throw_if_broken(const PointResult& p) {
  if (p.figures || p.figures.why().kind == Failure::infeasible) return;
  if (p.figures.why().kind == Failure::refused) throw InputError(Position{"compare"}, p.figures.why().text);
  throw_error(p.figures.why());
}

Outcome<SelectionFigures> cell_of(const PointResult& p) {
  throw_if_broken(p);
  if (!p.figures) return p.figures.why();
  const StepFigures& f = *p.figures;
  return SelectionFigures{f.tokens_per_s, f.total_s * 1e3, f.J_per_token, f.J_per_token * f.tokens_per_s,
                          f.J_per_token * f.total_s};
}

int best_of(const SelectionMap& map, std::size_t model, double limit_ms) {
  int best = -1;
  for (std::size_t p = 0; p < map.cells.size(); ++p) {
    const Outcome<SelectionFigures>& c = map.cells[p][model];
    if (!c || c->ms_per_token > limit_ms || c->power_W > map.power_limit_W) continue;
    if (best < 0 || c->edp_J_s < map.cells[static_cast<std::size_t>(best)][model]->edp_J_s)
      best = static_cast<int>(p);
  }
  return best;
}

}  // namespace

SelectionMap selection_map(const SelectionRequest& r) {
  const PublishedTable published = read_published(r.published, r.data_dir);
  std::vector<std::string> hardware = r.hardware;
  if (hardware.empty())
    for (const PublishedRow& row : published.rows) hardware.push_back(row.hardware);
  SelectionMap map;
  map.quant = r.quant.value_or(published.quant);
  map.context = r.context.value_or(published.context);
  map.power_limit_W = r.power_limit_W;
  map.models = r.models;
  map.limits_ms = r.limits_ms;
  for (const std::string& m : r.models)
    map.parameters.push_back(static_cast<double>(workload::parameters(workload::find_model(m, r.data_dir))));
  PointRunner runner(r.jobs, r.cache);
  std::vector<std::vector<std::string>> keys;
  for (const std::string& h : hardware) {
    map.platforms.push_back(std::filesystem::path(h).stem().string());
    keys.emplace_back();
    for (const std::string& m : r.models)
      keys.back().push_back(runner.add(step_of(r, published, h, m, map.quant, 1), {}));
  }
  runner.run(r.progress);
  for (const auto& row : keys) {
    map.cells.emplace_back();
    for (const std::string& key : row) map.cells.back().push_back(cell_of(runner.result(key)));
  }
  for (const double limit : r.limits_ms) {
    map.best.emplace_back();
    for (std::size_t m = 0; m < r.models.size(); ++m) map.best.back().push_back(best_of(map, m, limit));
  }
  return map;
}

std::vector<PublishedStep> explain_published(const SelectionRequest& r, std::size_t keep) {
  struct Candidate {
    PublishedStep e;
    std::string key;
    double distance = 0;
  };
  constexpr double kAgrees = 0.15;
  const PublishedTable table = read_published(r.published, r.data_dir);
  PointRunner runner(r.jobs, r.cache);
  std::vector<std::vector<Candidate>> all;
  for (const PublishedRow& row : table.rows) {
    const auto published = row.metrics.find("tokens_per_s");
    if (published == row.metrics.end()) continue;
    all.emplace_back();
    const auto add = [&](const std::string& model, const std::string& quant, std::int64_t batch) {
      const StepRequest step = step_of(r, table, row.hardware, model, quant, batch);
      // Not among the braces: gcc 12 destroys an inner aggregate twice when what follows it there throws.
      std::string key = runner.add(step, {});
      all.back().push_back({{row.platform, model, quant, batch, published->second, 0}, std::move(key)});
    };
    for (const std::string& model : r.models)
      for (const char* quant : {"Q4_K_M", "Q8_0", "F16"}) add(model, quant, 1);
    for (const std::int64_t batch : {2, 4, 8}) add(table.model, table.quant, batch);
  }
  runner.run(r.progress);
  std::vector<PublishedStep> result;
  for (std::vector<Candidate>& candidates : all) {
    for (Candidate& c : candidates) {
      const PointResult& p = runner.result(c.key);
      throw_if_broken(p);
      c.e.simulated = p.figures ? p.figures->tokens_per_s : 0;
      c.distance = p.figures ? std::abs(std::log(p.figures->tokens_per_s / c.e.published)) : 1e9;
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.distance < b.distance; });
    for (std::size_t i = 0; i < candidates.size() && i < keep; ++i)
      if (i == 0 || candidates[i].distance <= std::log(1 + kAgrees)) result.push_back(candidates[i].e);
  }
  return result;
}

}  // namespace edgenpu::evidence
