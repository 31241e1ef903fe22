#include "evidence/fit.h"

#include <algorithm>
#include <cmath>
#include <nlopt.hpp>

#include "base/error.h"

namespace edgenpu::evidence {

namespace {

constexpr std::size_t kRowsPerParameter = 5;
constexpr int kGlobalEvaluations = 1500, kLocalEvaluations = 1500;
// Prefers the description where rows do not care: a factor of e costs as much as 0.2 % of error.
constexpr double kPull = 0.002;

double mean_error(const std::vector<const FitRow*>& rows, const std::vector<double>& x) {
  double sum = 0;
  for (const FitRow* row : rows) sum += std::abs(row->error_at(x));
  double pull = 0;
  for (const double v : x) pull += std::abs(v);
  return sum / static_cast<double>(rows.size()) + kPull * pull;
}

double objective(const std::vector<double>& x, std::vector<double>&, void* rows) {
  return mean_error(*static_cast<const std::vector<const FitRow*>*>(rows), x);
}

std::vector<double> minimise(nlopt::algorithm algorithm, const std::vector<const FitRow*>& rows,
                             const std::vector<double>& low, const std::vector<double>& high,
                             std::vector<double> x, int evaluations) {
  nlopt::opt opt(algorithm, static_cast<unsigned>(x.size()));
  opt.set_min_objective(objective, const_cast<std::vector<const FitRow*>*>(&rows));
  opt.set_lower_bounds(low);
  opt.set_upper_bounds(high);
  opt.set_maxeval(evaluations);
  opt.set_xtol_rel(1e-5);
  double value = 0;
  try {
    opt.optimize(x, value);
  } catch (const nlopt::roundoff_limited&) {  // x is the best so far
  }
  return x;
}

}  // namespace

double Response::at(double x) const {
  if (log_factor.empty()) throw InternalError("a response without points");
  const auto above = std::lower_bound(log_factor.begin(), log_factor.end(), x);
  if (above == log_factor.begin()) return log_time.front();
  if (above == log_factor.end()) return log_time.back();
  const auto i = static_cast<std::size_t>(above - log_factor.begin());
  const double share = (x - log_factor[i - 1]) / (log_factor[i] - log_factor[i - 1]);
  return log_time[i - 1] + share * (log_time[i] - log_time[i - 1]);
}

double FitRow::error_at(const std::vector<double>& x) const {
  double error = x.empty() ? log_error : log_error + together;
  for (std::size_t p = 0; p < x.size(); ++p) error -= responses[p].at(x[p]);
  return error;
}

std::size_t allowed_parameters(std::size_t rows, std::size_t wanted) {
  return std::min(wanted, rows / kRowsPerParameter);
}

std::vector<double> fit(const std::vector<const FitRow*>& rows, std::size_t parameters) {
  const std::size_t n = allowed_parameters(rows.size(), parameters);
  if (n == 0) return {};
  std::vector<double> low, high;
  for (std::size_t p = 0; p < n; ++p) {
    low.push_back(rows[0]->responses[p].log_factor.front());
    high.push_back(rows[0]->responses[p].log_factor.back());
  }
  const std::vector<double> described(n, 0);
  const auto global = minimise(nlopt::GN_DIRECT_L, rows, low, high, described, kGlobalEvaluations);
  return minimise(nlopt::LN_SBPLX, rows, low, high, global, kLocalEvaluations);
}

}  // namespace edgenpu::evidence
