#include "evidence/validate.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <set>

#include "base/error.h"
#include "evidence/bench_check.h"
#include "evidence/calibration_spec.h"
#include "evidence/median.h"

namespace edgenpu::evidence {

namespace {

using result::ErrorSummary;
using result::Validation;
using result::ValidationRow;

// A row of the file, what it was mapped onto, and its steps.
struct Planned {
  const Measurement* row = nullptr;
  Mapped mapped;
  std::string decode, energy;        // keys of steps
  std::vector<std::string> prefill;  // one a part of the prompt that goes through the model at once
  std::string decode_failure, prefill_failure, energy_failure;
};

bool asked(const ValidateRequest& r, const char* metric) {
  return std::find(r.metrics.begin(), r.metrics.end(), metric) != r.metrics.end();
}

std::string add(PointRunner& runner, StepRequest step, const std::vector<config::Override>& overrides,
                std::string& failure, const std::string& scope = "") {
  try {
    return runner.add(step, overrides, scope);
  } catch (const InputError& e) {
    failure = e.what();
    return "";
  }
}

// What the found parameters of its class change about a step's hardware.
void apply_calibration(Mapped& m, const std::vector<ClassSpec>& classes, PointRunner& runner) {
  if (classes.empty()) return;
  const ClassSpec* spec = nullptr;
  config::Value tree;
  try {
    const PointNames names = runner.names(m.request, m.overrides);
    spec = class_of(classes, names.platform, names.runtime);
    tree = runner.tree(m.request, m.overrides);
  } catch (const InputError&) {  // reported where the step is added
  }
  if (!spec) return;
  try {
    for (const FactorSpec& f : spec->parameters)
      m.overrides.push_back(scaled(tree, f.path, f.factors.front()));
    m.notes.push_back("calibrated as " + spec->name);
  } catch (const InputError& e) {
    m.reason = "the calibration of " + spec->name + " does not fit: " + e.what();
  }
}

// A prompt goes through the model in parts, each behind those before it.
void plan_prefill(Planned& p, PointRunner& runner, StepRequest step,
                  const std::vector<config::Override>& overrides) {
  const std::int64_t all = p.mapped.prompt_step, part = std::min(all, p.row->at_once.value_or(all));
  step.phase = workload::Phase::prefill;
  step.batch = 1;
  for (std::int64_t done = 0; done < all && p.prefill_failure.empty(); done += part) {
    step.prompt = std::min(part, all - done);
    step.context = p.mapped.prompt_cached + done;
    p.prefill.push_back(add(runner, step, overrides, p.prefill_failure));
  }
}

void plan_steps(Planned& p, const ValidateRequest& r, PointRunner& runner,
                const std::vector<config::Override>& overrides) {
  const Measurement& row = *p.row;
  const StepRequest& step = p.mapped.request;
  if (row.decode_tok_s && asked(r, "decode")) p.decode = add(runner, step, overrides, p.decode_failure);
  if (row.energy_J_per_token && asked(r, "energy")) {
    p.energy_failure = p.mapped.scope_reason;
    if (p.energy_failure.empty())
      p.energy = add(runner, step, overrides, p.energy_failure, p.mapped.energy_scope);
  }
  const bool ttft = row.ttft_ms && row.prompt && asked(r, "ttft");
  if ((row.prefill_tok_s && asked(r, "prefill")) || ttft) plan_prefill(p, runner, step, overrides);
}

// Why a row of llama-bench cannot be compared with this hardware; "": it can.
std::string refused(Planned& p, PointRunner& runner, const std::vector<config::Override>& overrides) {
  try {
    return p.row->bench ? refused_bench(*p.row, p.mapped, runner.tree(p.mapped.request, overrides)) : "";
  } catch (const InputError& e) {
    return e.what();
  }
}

Planned plan(const Measurement& row, const Mapping& mapping, const ValidateRequest& r,
             const std::vector<ClassSpec>& classes, PointRunner& runner) {
  Planned p;
  p.row = &row;
  p.mapped = r.hardware.empty() ? mapping.map(row) : mapping.map_onto(row, r.hardware);
  if (!p.mapped.reason.empty()) return p;
  apply_calibration(p.mapped, classes, runner);
  if (!p.mapped.reason.empty()) return p;
  std::vector<config::Override> overrides = p.mapped.overrides;
  for (config::Override& o : bench_overrides(row, p.mapped)) overrides.push_back(std::move(o));
  overrides.insert(overrides.end(), r.overrides.begin(), r.overrides.end());
  p.mapped.reason = refused(p, runner, overrides);
  if (p.mapped.reason.empty()) plan_steps(p, r, runner, overrides);
  return p;
}

ValidationRow row_for(const Planned& p, const char* metric, double measured) {
  const Measurement& m = *p.row;
  ValidationRow v;
  v.id = m.id;
  v.device = m.device;
  v.device_class = m.device_class.empty() ? p.mapped.kind : m.device_class;
  v.metric = metric;
  v.measured = measured;
  v.confidence = m.confidence;
  v.source = m.source;
  v.reason = p.mapped.reason;
  v.notes = p.mapped.notes;
  v.hardware = p.mapped.request.hardware;
  v.model = p.mapped.request.model;
  v.quant = p.mapped.request.quant;
  v.context = p.mapped.request.context;
  v.prompt = p.mapped.request.prompt;
  return v;
}

// The steps' result as one: their time together; the roof of the first.
PointResult together(const PointRunner& runner, const std::vector<std::string>& keys, double tokens) {
  PointResult sum = runner.result(keys.front());
  if (keys.size() == 1) return sum;
  for (std::size_t i = 1; i < keys.size() && sum.figures; ++i) {
    const Outcome<StepFigures>& part = runner.result(keys[i]).figures;
    if (part)
      sum.figures->total_s += part->total_s;
    else
      sum.figures = part;
  }
  if (sum.figures) sum.figures->tokens_per_s = tokens / sum.figures->total_s;
  return sum;
}

void fill(ValidationRow& v, const PointResult& r) {
  v.platform = r.platform;
  v.runtime = r.runtime;
  v.reason = r.figures.reason();
  if (!r.figures) return;
  v.mapped = true;
  if (v.metric == "ttft")
    v.simulated = r.figures->total_s * 1e3;
  else if (v.metric == "energy")
    v.simulated = r.figures->J_per_token;
  else
    v.simulated = r.figures->tokens_per_s;
  if (v.metric == "decode" && r.figures->roof_tokens_per_s > 0) v.roof = r.figures->roof_tokens_per_s;
}

void add_rows(Validation& all, const Planned& p, const ValidateRequest& r, const PointRunner& runner) {
  const Measurement& m = *p.row;
  const std::size_t first = all.rows.size();
  const auto add_row = [&](const char* metric, const std::optional<double>& measured,
                           const std::vector<std::string>& keys, const std::string& failure) {
    if (!measured || !asked(r, metric)) return;
    ValidationRow v = row_for(p, metric, *measured);
    if (v.reason.empty()) v.reason = failure;
    if (v.reason.empty()) fill(v, together(runner, keys, static_cast<double>(p.mapped.prompt_step)));
    if (v.metric == "prefill" && v.mapped)  // of a padded prompt only the row's own tokens count
      *v.simulated *= static_cast<double>(v.prompt) / static_cast<double>(p.mapped.prompt_step);
    if (v.metric == "energy" && v.mapped) v.notes.push_back("energy of " + p.mapped.energy_scope);
    all.rows.push_back(std::move(v));
  };
  add_row("decode", m.decode_tok_s, {p.decode}, p.decode_failure);
  add_row("prefill", m.prefill_tok_s, p.prefill, p.prefill_failure);
  add_row("ttft", m.ttft_ms, p.prefill,
          m.prompt ? p.prefill_failure : "no prompt length given for the time to the first token");
  add_row("energy", m.energy_J_per_token, {p.energy}, p.energy_failure);
  bool mapped = false;
  for (std::size_t i = first; i < all.rows.size(); ++i) mapped = mapped || all.rows[i].mapped;
  all.mapped_rows += mapped;
}

ErrorSummary summary_of(const std::string& group, const std::string& name, const std::string& metric,
                        const std::vector<const ValidationRow*>& rows) {
  ErrorSummary s;
  s.group = group;
  s.name = name;
  s.metric = metric;
  std::vector<double> errors;
  double sum = 0;
  for (const ValidationRow* v : rows) {
    ++s.given;
    s.mapped += v->mapped;
    const auto error = v->error();
    if (!error) continue;
    errors.push_back(std::abs(*error));
    sum += *error;
    if (!s.worst || std::abs(*error) > std::abs(*s.worst)) {
      s.worst = *error;
      s.worst_id = v->id;
    }
  }
  s.compared = static_cast<long long>(errors.size());
  if (errors.empty()) return s;
  double total = 0;
  for (const double e : errors) total += e;
  s.mean = total / static_cast<double>(errors.size());
  s.median = median(errors);
  s.bias = sum / static_cast<double>(errors.size());
  return s;
}

void summarise_by(std::vector<ErrorSummary>& all, const std::vector<ValidationRow>& rows,
                  const std::string& metric, const std::string& group,
                  const std::function<std::string(const ValidationRow&)>& name_of) {
  std::map<std::string, std::vector<const ValidationRow*>> groups;
  for (const ValidationRow& v : rows)
    if (v.metric == metric) groups[name_of(v)].push_back(&v);
  for (const auto& [name, members] : groups) all.push_back(summary_of(group, name, metric, members));
}

}  // namespace

std::vector<ErrorSummary> summarise(const std::vector<ValidationRow>& rows) {
  std::vector<ErrorSummary> all;
  for (const char* metric : {"decode", "prefill", "ttft", "energy"}) {
    summarise_by(all, rows, metric, "all", [](const ValidationRow&) { return std::string(); });
    summarise_by(all, rows, metric, "class", [](const ValidationRow& v) { return v.device_class; });
    summarise_by(all, rows, metric, "platform", [](const ValidationRow& v) {
      return v.platform.empty() ? std::string("(not mapped)")
                                : v.platform + (v.runtime.empty() ? "" : " / " + v.runtime);
    });
  }
  return all;
}

void require_compared(const Validation& all, const Measurements& measurements) {
  std::map<std::string, Position> places;
  for (const Measurement& m : measurements.rows) places[m.id] = m.position;
  Diagnostics out;
  for (const ValidationRow& v : all.rows) {
    if (v.mapped) return;
    out.add(places[v.id], fmt::format("{} ({}) cannot be compared: {}", v.id, v.metric, v.reason));
  }
  out.throw_if_any();
  throw InputError(Position{all.file}, measurements.rows.empty()
                                           ? "this file has no rows"
                                           : "no row of this file has a figure of the metrics asked for");
}

Validation validate(const Measurements& measurements, const ValidateRequest& request) {
  const auto started = std::chrono::steady_clock::now();
  const Mapping mapping(request.mapping, request.data_dir);
  PointRunner runner(request.jobs, request.cache);
  const std::vector<ClassSpec> classes =
      request.calibration.empty() ? std::vector<ClassSpec>() : read_calibrated(request.calibration);
  std::vector<Planned> plans;
  for (const Measurement& row : measurements.rows)
    plans.push_back(plan(row, mapping, request, classes, runner));
  runner.run(request.progress);
  Validation all;
  all.file = measurements.file;
  all.file_rows = static_cast<long long>(measurements.rows.size());
  all.notes = measurements.notes;
  for (const Planned& p : plans) add_rows(all, p, request, runner);
  for (const ValidationRow& v : all.rows) all.above_roof += v.roof && v.simulated && *v.simulated > *v.roof;
  all.summaries = summarise(all.rows);
  all.cpu_s = runner.cpu_s();
  all.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return all;
}

}  // namespace edgenpu::evidence
