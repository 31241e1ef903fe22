#include "evidence/calibrate.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fmt/format.h>
#include <map>

#include "base/error.h"
#include "base/suggest.h"
#include "evidence/calibration_spec.h"
#include "evidence/class_fit.h"
#include "evidence/fit.h"
#include "evidence/published.h"
#include "evidence/validate.h"
#include "workload/model.h"
#include "workload/tensors.h"

namespace edgenpu::evidence {

namespace {

using result::CalibratedClass;
using result::CalibratedRow;
using result::Calibration;
using result::ErrorPair;

std::vector<Candidate> candidates_of(const Measurements& measurements, const Mapping& mapping,
                                     const std::vector<ClassSpec>& classes, const CalibrateRequest& r,
                                     PointRunner& runner) {
  std::vector<Candidate> all;
  for (const Measurement& m : measurements.rows) {
    if (!m.decode_tok_s) continue;
    Candidate c;
    c.row = &m;
    c.mapped = mapping.map(m);
    if (!c.mapped.reason.empty()) continue;
    try {
      const PointNames names = runner.names(c.mapped.request, c.mapped.overrides);
      c.spec = class_of(classes, names.platform, names.runtime);
      if (c.spec && !r.platform.empty() && !std::regex_search(r.platform, c.spec->platform)) continue;
      if (!c.spec && !r.platform.empty()) continue;
      c.base = runner.add(c.mapped.request, c.mapped.overrides);
    } catch (const InputError&) {
      continue;
    }
    all.push_back(std::move(c));
  }
  return all;
}

std::string no_class_for(const std::string& platform, const std::vector<ClassSpec>& classes) {
  std::vector<std::string> expressions;
  for (const ClassSpec& c : classes) expressions.push_back(c.platform_text);
  return "no measured class is for '" + platform + "'; the classes are for: " + join(expressions);
}

// The steps at other factors.
void add_variants(Candidate& c, PointRunner& runner) {
  const config::Value tree = runner.tree(c.mapped.request, c.mapped.overrides);
  for (const FactorSpec& f : c.spec->parameters) {
    std::vector<std::string> keys;
    for (const double factor : f.factors) {
      std::vector<config::Override> overrides = c.mapped.overrides;
      if (factor != 1) overrides.push_back(scaled(tree, f.path, factor));
      keys.push_back(runner.add(c.mapped.request, overrides));
    }
    c.keys.push_back(std::move(keys));
  }
}

// False if a step failed.
bool read_responses(Candidate& c, const PointRunner& runner) {
  const Outcome<StepFigures>& base = runner.result(c.base).figures;
  if (!base) return false;
  c.fit.log_error = std::log(base->tokens_per_s / *c.row->decode_tok_s);
  for (std::size_t p = 0; p < c.keys.size(); ++p) {
    Response response;
    for (std::size_t i = 0; i < c.keys[p].size(); ++i) {
      const Outcome<StepFigures>& f = runner.result(c.keys[p][i]).figures;
      if (!f) continue;
      response.log_factor.push_back(std::log(c.spec->parameters[p].factors[i]));
      response.log_time.push_back(std::log(f->total_s / base->total_s));
    }
    if (response.log_factor.size() < 2) return false;
    c.fit.responses.push_back(std::move(response));
  }
  return true;
}

ErrorPair pair_of(std::vector<double> errors) {
  if (errors.empty()) return {};
  for (double& e : errors) e = std::abs(e);
  std::sort(errors.begin(), errors.end());
  double sum = 0;
  for (const double e : errors) sum += e;
  const std::size_t n = errors.size();
  return {sum / static_cast<double>(n), n % 2 ? errors[n / 2] : (errors[n / 2 - 1] + errors[n / 2]) / 2};
}

result::CalibrationErrors errors_of(const std::vector<CalibratedRow>& rows, bool slow_too) {
  std::vector<double> none, device, model, both, fitted;
  for (const CalibratedRow& r : rows) {
    if (r.implausibly_slow && !slow_too) continue;
    none.push_back(r.uncalibrated);
    device.push_back(r.held_out_device);
    model.push_back(r.held_out_model);
    both.push_back(r.held_out_device);
    both.push_back(r.held_out_model);
    fitted.push_back(r.fitted);
  }
  return {static_cast<long long>(none.size()),
          pair_of(none),
          pair_of(device),
          pair_of(model),
          pair_of(both),
          pair_of(fitted)};
}

// By the measurement, the bytes of the step and the class's median: our time has no say.
void mark_slow(std::vector<CalibratedRow>& rows, const std::vector<Candidate>& all, const PointRunner& runner,
               const CalibrateRequest& request) {
  if (request.shares.empty()) return;
  constexpr double kLarge = 1e9, kHalf = 0.5;
  const std::map<std::string, double> medians = read_median_shares(request.shares);
  std::map<std::string, bool> slow;
  for (const Candidate& c : all) {
    const Outcome<StepFigures>& f = runner.result(c.base).figures;
    const auto median = medians.find(c.row->device_class);
    if (!f || f->roof_tokens_per_s <= 0 || median == medians.end()) continue;
    const auto size = workload::parameters(workload::find_model(c.mapped.request.model, request.data_dir));
    slow[c.row->id] = static_cast<double>(size) >= kLarge &&
                      *c.row->decode_tok_s / f->roof_tokens_per_s < kHalf * median->second;
  }
  for (CalibratedRow& r : rows) r.implausibly_slow = slow[r.id];
}

}  // namespace

Calibration calibrate(const Measurements& measurements, const CalibrateRequest& request) {
  const Mapping mapping(request.mapping, request.data_dir);
  const std::vector<ClassSpec> classes = read_calibration(request.specification);
  PointRunner runner(request.jobs, request.cache);
  std::vector<Candidate> all = candidates_of(measurements, mapping, classes, request, runner);
  if (all.empty() && !request.platform.empty())
    throw InputError({"--platform"}, no_class_for(request.platform, classes));
  std::map<const ClassSpec*, std::size_t> sizes;
  for (const Candidate& c : all) ++sizes[c.spec];
  for (Candidate& c : all)
    if (c.spec && allowed_parameters(sizes[c.spec], c.spec->parameters.size()) > 0) add_variants(c, runner);
  runner.run(request.progress);
  Calibration result;
  result.measurements = measurements.file;
  std::map<const ClassSpec*, std::vector<Candidate*>> members;
  for (Candidate& c : all)
    if (read_responses(c, runner)) members[c.spec].push_back(&c);
  std::vector<ClassFit> fits;
  for (const ClassSpec& spec : classes)
    if (members.count(&spec)) fits.emplace_back(spec, members[&spec], runner);
  for (ClassFit& f : fits) f.plan_first();
  runner.run(request.progress);
  for (ClassFit& f : fits) f.plan_rest();
  runner.run(request.progress);
  for (const ClassFit& f : fits) result.classes.push_back(f.finish(result.rows));
  for (const Candidate* c : members[nullptr]) {
    const double e = error_of(c->fit.log_error);
    result.rows.push_back({c->row->id, c->row->device_class, runner.result(c->base).platform,
                           c->mapped.request.model, "", *c->row->decode_tok_s, e, e, e, e});
  }
  mark_slow(result.rows, all, runner, request);
  result.all = errors_of(result.rows, true);
  result.plausible = errors_of(result.rows, false);
  result.cpu_s = runner.cpu_s();
  return result;
}

std::string to_yaml(const Calibration& c) {
  std::string text =
      "# Found by 'edgenpu calibrate': factors on values that hardware and runtime descriptions assume, "
      "pooled by class.\n"
      "# 'edgenpu validate --calibration' applies them; a run without it uses the descriptions as they are.\n"
      "kind: calibrated\n";
  text += fmt::format("measurements: \"{}\"\n", c.measurements.substr(c.measurements.find_last_of('/') + 1));
  text += fmt::format(
      "errors: \"decode, mean / median of |error|: uncalibrated {:.1f} / {:.1f} %, device held out {:.1f} / "
      "{:.1f} %, "
      "model held out {:.1f} / {:.1f} %, fitted {:.1f} / {:.1f} %\"\nclasses:\n",
      c.all.uncalibrated.mean * 100, c.all.uncalibrated.median * 100, c.all.held_out_device.mean * 100,
      c.all.held_out_device.median * 100, c.all.held_out_model.mean * 100, c.all.held_out_model.median * 100,
      c.all.fitted.mean * 100, c.all.fitted.median * 100);
  for (const CalibratedClass& k : c.classes) {
    text += fmt::format(
        "  - name: \"{}\"\n    platform: '{}'\n    runtime: '{}'\n    rows: {}\n    parameters:{}\n", k.name,
        k.platform, k.runtime, k.rows, k.parameters.empty() ? " []" : "");
    for (const result::CalibratedParameter& p : k.parameters)
      text += fmt::format(
          "      - path: {}\n        factor: {:.4f}\n        low: {}\n        high: {}\n        meaning: "
          "\"{}\"\n"
          "        source: \"calibrated: mean |error| of the class {:.1f} % before, {:.1f} % after\"\n",
          p.path, p.factor, p.low, p.high, p.meaning, k.uncalibrated * 100, k.fitted * 100);
  }
  return text;
}

}  // namespace edgenpu::evidence
