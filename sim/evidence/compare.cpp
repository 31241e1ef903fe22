#include "evidence/compare.h"

#include <filesystem>
#include <fmt/format.h>

#include "analysis/uncertainty.h"
#include "base/error.h"
#include "evidence/published.h"
#include "evidence/verdict.h"
#include "simulate.h"

namespace edgenpu::evidence {

namespace {

using result::Comparison;
using result::ComparisonRow;

struct Plan {
  std::vector<StepRequest> steps;
  std::vector<PublishedRow> rows;  // what was published about each; without metrics if nothing
};

StepRequest step_of(const CompareRequest& r, const std::string& hardware, const PublishedTable& table) {
  StepRequest step;
  step.hardware = hardware;
  step.overrides = r.overrides;
  step.model = r.model.value_or(table.model);
  step.quant = r.quant.value_or(table.quant);
  step.context = r.context.value_or(table.context);
  step.kv = r.kv;
  step.data_dir = r.data_dir;
  step.memo = r.memo;
  step.burst_detail = r.burst_detail;
  return step;
}

Plan plan_of(const CompareRequest& r, const PublishedTable& table) {
  Plan plan;
  if (r.hardware.empty()) plan.rows = table.rows;
  for (const std::string& hardware : r.hardware)
    plan.rows.push_back({std::filesystem::path(hardware).stem().string(), hardware, {}, {}});
  for (const PublishedRow& row : plan.rows) plan.steps.push_back(step_of(r, row.hardware, table));
  return plan;
}

bool is_for(const CompareRequest& r, const PublishedTable& table) {
  return r.model.value_or(table.model) == table.model && r.quant.value_or(table.quant) == table.quant &&
         r.context.value_or(table.context) == table.context && r.overrides.empty();
}

result::AtTdp at_tdp(double tokens_per_s, double tdp) {
  return {tdp, tdp / tokens_per_s, tokens_per_s / tdp, tdp / (tokens_per_s * tokens_per_s)};
}

void judge_row(ComparisonRow& row, const PublishedRow& published,
               const std::map<std::string, double>& medians, const StepFacts& facts) {
  Yardstick y;
  y.roof_tokens_per_s = facts.memory_tokens_per_s;
  if (row.step) y.tokens_per_s = row.step->metrics.tokens_per_s;
  if (row.at_tdp)
    y.tdp_W = row.at_tdp->tdp_W;
  else if (published.tdp)
    y.tdp_W = published.tdp->count();
  if (const auto it = medians.find(row.device_class); it != medians.end()) y.median_share = it->second;
  for (const auto& [metric, value] : published.metrics) row.published[metric] = judge(metric, value, y);
}

ComparisonRow row_of(const StepRequest& step, const PublishedRow& published, const StepOutcome& outcome) {
  ComparisonRow row;
  row.platform = published.platform;
  row.hardware = step.hardware;
  row.device_class = outcome.facts.kind;
  row.model = step.model;
  row.quant = step.quant;
  row.context = step.context;
  row.peak_B_per_s = outcome.facts.peak_B_per_s;
  if (!outcome.result) {
    row.infeasible = outcome.result.why().text;
    return row;
  }
  row.step = *outcome.result;
  const result::Metrics& m = row.step->metrics;
  row.used_B_per_s = static_cast<double>(m.dram_read_B + m.dram_write_B) / row.step->total_s;
  const std::optional<Watts> tdp = published.tdp ? published.tdp : outcome.facts.tdp;
  if (tdp) row.at_tdp = at_tdp(m.tokens_per_s, tdp->count());
  return row;
}

void normalise(ComparisonRow& row, const std::string& by) {
  const auto tokens = row.published.find("tokens_per_s");
  const auto published = tokens == row.published.end() ? std::nullopt : std::optional(tokens->second.value);
  if (by == "bandwidth") {
    if (row.step) row.normalised = row.step->metrics.tokens_per_s / (row.peak_B_per_s * 1e-9);
    if (published) row.published_normalised = *published / (row.peak_B_per_s * 1e-9);
  } else if (by == "power") {
    if (row.step && row.step->metrics.power_W)
      row.normalised = row.step->metrics.tokens_per_s / *row.step->metrics.power_W;
    if (published && row.at_tdp) row.published_normalised = *published / row.at_tdp->tdp_W;
  }
}

std::optional<double> published_of(const ComparisonRow& row, const std::string& metric) {
  const auto it = row.published.find(metric);
  return it == row.published.end() ? std::nullopt : std::optional(it->second.value);
}

std::optional<double> quotient(const std::optional<double>& a, const std::optional<double>& b) {
  return a && b ? std::optional(*a / *b) : std::nullopt;
}

std::vector<result::Ratio> npu_to_gpu(const std::vector<ComparisonRow>& rows) {
  const ComparisonRow *npu = nullptr, *gpu = nullptr;
  for (const ComparisonRow& row : rows) {
    if (row.device_class == "npu" && !npu && row.step) npu = &row;
    if (row.device_class == "gpu" && !gpu && row.step) gpu = &row;
  }
  if (!npu || !gpu) return {};
  const result::Metrics &n = npu->step->metrics, &g = gpu->step->metrics;
  const auto published = [&](const char* metric) {
    return quotient(published_of(*npu, metric), published_of(*gpu, metric));
  };
  return {{"tokens_per_s", n.tokens_per_s / g.tokens_per_s, published("tokens_per_s")},
          {"J_per_token", quotient(n.energy_J_per_token, g.energy_J_per_token), published("J_per_token")},
          {"edp_J_s", quotient(n.edp_J_s, g.edp_J_s), published("edp_J_s")},
          {"dram_utilisation", quotient(n.dram_utilisation, g.dram_utilisation), std::nullopt}};
}

std::string common_scope(const std::vector<ComparisonRow>& rows) {
  std::string scope;
  for (const ComparisonRow& row : rows) {
    if (!row.step) continue;
    if (!scope.empty() && scope != row.step->power_scope)
      throw InputError(
          Position{row.hardware},
          fmt::format("its power has the scope {}, that of other rows {}: they cannot be compared",
                      row.step->power_scope, scope));
    scope = row.step->power_scope;
  }
  return scope;
}

void add_ranges(Comparison& c, const CompareRequest& request, const Plan& plan) {
  analysis::UncertaintyOptions options;
  options.hardware_draws = request.uncertainty;
  options.seed = request.seed;
  options.jobs = request.jobs;
  for (std::size_t i = 0; i < c.rows.size(); ++i)
    if (c.rows[i].step) c.rows[i].uncertainty = analysis::uncertainty(plan.steps[i], options);
  for (std::size_t a = 0; a < c.rows.size(); ++a)
    for (std::size_t b = a + 1; b < c.rows.size(); ++b)
      if (c.rows[a].uncertainty && c.rows[b].uncertainty)
        c.edp_odds.push_back(
            {a, b, analysis::probability_less(c.rows[a].uncertainty->edp, c.rows[b].uncertainty->edp)});
}

}  // namespace

Comparison compare(const CompareRequest& request) {
  const PublishedTable table = read_published(request.published, request.data_dir);
  const Plan plan = plan_of(request, table);
  const bool judged = request.hardware.empty() && is_for(request, table);
  const std::vector<StepOutcome> outcomes = simulate_all(plan.steps, request.jobs);

  Comparison c;
  c.normalise = request.normalise;
  c.median_share = read_median_shares(table.bandwidth_shares);
  if (judged) c.source = table.source;
  for (std::size_t i = 0; i < plan.rows.size(); ++i) {
    ComparisonRow row = row_of(plan.steps[i], plan.rows[i], outcomes[i]);
    if (judged) judge_row(row, plan.rows[i], c.median_share, outcomes[i].facts);
    normalise(row, request.normalise);
    c.rows.push_back(std::move(row));
  }
  if (!judged && request.hardware.empty())
    c.notes.push_back("published values are left out: they are for " + table.model + " " + table.quant +
                      " at context " + std::to_string(table.context) + " on the hardware as described");
  c.power_scope = common_scope(c.rows);
  c.npu_to_gpu = npu_to_gpu(c.rows);
  if (request.uncertainty > 0) add_ranges(c, request, plan);
  return c;
}

}  // namespace edgenpu::evidence
