#include "evidence/verdict.h"

#include <cmath>
#include <fmt/format.h>

#include "base/error.h"

namespace edgenpu::evidence {

namespace {

using result::PublishedCell;
using result::VerdictKind;

// The metric that a device with this throughput and power has; nullopt without the power it needs.
std::optional<double> metric_of(const std::string& metric, double tokens_per_s,
                                const std::optional<double>& watts) {
  if (metric == "tokens_per_s") return tokens_per_s;
  if (metric == "ms_per_token") return 1e3 / tokens_per_s;
  if (!watts) return std::nullopt;
  if (metric == "tokens_per_J") return tokens_per_s / *watts;
  if (metric == "J_per_token") return *watts / tokens_per_s;
  if (metric == "edp_J_s") return *watts / (tokens_per_s * tokens_per_s);
  throw InternalError("a published metric without a meaning: " + metric);
}

bool higher_is_better(const std::string& metric) {
  return metric == "tokens_per_s" || metric == "tokens_per_J";
}

// How far `value` is beyond `bound`: above 1 if it beats it.
double beyond(const std::string& metric, double value, double bound) {
  return higher_is_better(metric) ? value / bound : bound / value;
}

std::optional<double> share_of_peak(const std::string& metric, double published, const Yardstick& y) {
  if (metric == "tokens_per_s") return published / y.roof_tokens_per_s;
  if (metric == "ms_per_token") return 1e3 / published / y.roof_tokens_per_s;
  return std::nullopt;
}

}  // namespace

PublishedCell judge(const std::string& metric, double published, const Yardstick& y) {
  PublishedCell cell;
  cell.value = published;
  if (y.tokens_per_s) cell.simulated = metric_of(metric, *y.tokens_per_s, y.tdp_W);
  cell.bound = metric_of(metric, y.roof_tokens_per_s, y.tdp_W);
  if (cell.bound && beyond(metric, published, *cell.bound) > 1 + kRounding) {
    const double factor = beyond(metric, published, *cell.bound);
    cell.verdict = {VerdictKind::impossible, factor,
                    fmt::format("{:.2f} times beyond what the memory's peak bandwidth allows ({:.4g})",
                                factor, *cell.bound)};
    return cell;
  }
  const std::optional<double> share = share_of_peak(metric, published, y);
  if (share && y.median_share && *share < 0.5 * *y.median_share) {
    const double factor = *share / *y.median_share;
    cell.verdict = {VerdictKind::implausibly_slow, factor,
                    fmt::format("{:.0f} % of peak bandwidth, {:.2f} of the median {:.0f} % of published "
                                "measurements of its class",
                                100 * *share, factor, 100 * *y.median_share)};
    return cell;
  }
  if (!cell.simulated) {
    cell.verdict = {VerdictKind::differs, 0, "nothing was simulated to hold it against"};
    return cell;
  }
  const double factor = published / *cell.simulated;
  const bool agrees = std::abs(factor - 1) <= kAgreement;
  cell.verdict = {agrees ? VerdictKind::agrees : VerdictKind::differs, factor,
                  fmt::format("{:.2f} times the simulated {:.4g}", factor, *cell.simulated)};
  return cell;
}

}  // namespace edgenpu::evidence
