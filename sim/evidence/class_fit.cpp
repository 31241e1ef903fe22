#include "evidence/class_fit.h"

#include <cmath>

namespace edgenpu::evidence {

using result::CalibratedClass;
using result::CalibratedRow;

double error_of(double log_error) {
  return std::exp(log_error) - 1;
}

ClassFit::ClassFit(const ClassSpec& spec, std::vector<Candidate*> members, PointRunner& runner)
    : spec_(spec), members_(std::move(members)), runner_(runner) {}

ClassFit::Factors ClassFit::without(const std::function<bool(const Candidate&)>& left_out) const {
  std::vector<const FitRow*> rows;
  for (const Candidate* c : members_)
    if (!left_out(*c)) rows.push_back(&c->fit);
  return fit(rows, spec_.parameters.size());
}

std::string ClassFit::step(const Candidate& c, const Factors& factors) {
  const config::Value tree = runner_.tree(c.mapped.request, c.mapped.overrides);
  std::vector<config::Override> overrides = c.mapped.overrides;
  for (std::size_t p = 0; p < factors.size(); ++p)
    if (factors[p] != 0) overrides.push_back(scaled(tree, spec_.parameters[p].path, std::exp(factors[p])));
  return runner_.add(c.mapped.request, overrides);
}

double ClassFit::log_error(const Candidate& c, const std::string& key, const Factors& factors) const {
  const Outcome<StepFigures>& f = runner_.result(key).figures;
  return f ? std::log(f->tokens_per_s / *c.row->decode_tok_s) : c.fit.error_at(factors);
}

double ClassFit::mean_error(const std::vector<std::string>& steps, const Factors& factors) const {
  double sum = 0;
  for (std::size_t i = 0; i < members_.size(); ++i)
    sum += std::abs(log_error(*members_[i], steps[i], factors));
  return sum / static_cast<double>(members_.size());
}

void ClassFit::plan_first() {
  first_ = without([](const Candidate&) { return false; });
  for (const Candidate* c : members_) at_first_.push_back(step(*c, first_));
}

void ClassFit::plan_rest() {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    FitRow& row = members_[i]->fit;
    row.together = log_error(*members_[i], at_first_[i], first_) - row.error_at(first_);
  }
  second_ = without([](const Candidate&) { return false; });
  for (const Candidate* c : members_) {
    by_platform_[platform(*c)];
    by_model_[c->mapped.request.model];
  }
  for (auto& [name, x] : by_platform_)
    x = without([&, n = name](const Candidate& c) { return platform(c) == n; });
  for (auto& [name, x] : by_model_)
    x = without([n = name](const Candidate& c) { return c.mapped.request.model == n; });
  for (const Candidate* c : members_) {
    at_second_.push_back(step(*c, second_));
    without_platform_.push_back(step(*c, by_platform_[platform(*c)]));
    without_model_.push_back(step(*c, by_model_[c->mapped.request.model]));
  }
}

CalibratedClass ClassFit::finish(std::vector<CalibratedRow>& rows) const {
  CalibratedClass result{
      spec_.name, spec_.platform_text, spec_.runtime_text, static_cast<long long>(members_.size()), {}};
  const bool better = mean_error(at_second_, second_) < mean_error(at_first_, first_);
  const Factors& best = better ? second_ : first_;
  for (std::size_t p = 0; p < best.size(); ++p)
    result.parameters.push_back({spec_.parameters[p].path, spec_.parameters[p].meaning, std::exp(best[p]),
                                 spec_.parameters[p].factors.front(), spec_.parameters[p].factors.back()});
  const auto n = static_cast<double>(members_.size());
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const Candidate& c = *members_[i];
    CalibratedRow r{c.row->id,  c.row->device_class, platform(c), c.mapped.request.model,
                    spec_.name, *c.row->decode_tok_s};
    r.uncalibrated = error_of(c.fit.log_error);
    r.held_out_device = error_of(log_error(c, without_platform_[i], by_platform_.at(r.platform)));
    r.held_out_model = error_of(log_error(c, without_model_[i], by_model_.at(r.model)));
    r.fitted = error_of(log_error(c, (better ? at_second_ : at_first_)[i], best));
    result.uncalibrated += std::abs(r.uncalibrated) / n;
    result.held_out_device += std::abs(r.held_out_device) / n;
    result.held_out_model += std::abs(r.held_out_model) / n;
    result.fitted += std::abs(r.fitted) / n;
    rows.push_back(std::move(r));
  }
  return result;
}

}  // namespace edgenpu::evidence
