#include "report/uncertainty.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "report/chart.h"
#include "report/numbers.h"

namespace edgenpu::report {

namespace {

constexpr std::size_t kShown = 10, kNamed = 3;

std::string unit_of(const std::string& metric) {
  if (metric == "tokens_per_s") return "tokens/s";
  if (metric == "power_W") return "W";
  if (metric == "edp_J_s") return "J s";
  return "J/token";
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : c == '\n' ? " " : std::string(1, c);
  return out + "\"";
}

// Sources are long: their first sentence or so.
std::string first_words(const std::string& text) {
  constexpr std::size_t kMost = 90;
  std::string out;
  for (const char c : text) out += c == '|' || c == '\n' ? ' ' : c;
  return out.size() <= kMost ? out : out.substr(0, out.rfind(' ', kMost)) + " ...";
}

}  // namespace

std::string uncertainty_csv(const result::Uncertainty& u) {
  std::string text = "metric,nominal,p5,p50,p95\n";
  for (const result::Percentiles& p : u.metrics)
    text += fmt::format("{},{:.9g},{:.9g},{:.9g},{:.9g}\n", p.name, p.nominal, p.p5, p.p50, p.p95);
  text +=
      "\ninput,as_described,variance_share_J_per_token,variance_share_edp,J_per_token_at_5,J_per_token_at_95,"
      "source\n";
  for (const result::InputEffect& i : u.inputs)
    text += fmt::format("{},{},{:.6g},{:.6g},{:.9g},{:.9g},{}\n", i.path, quoted(i.text), i.energy_share,
                        i.edp_share, i.low, i.high, quoted(i.source));
  return text;
}

std::string uncertainty_section(const result::Uncertainty& u) {
  std::string text = fmt::format(
      "## Uncertainty\n\nEvery ranged and every assumed number was drawn at random, independently (seed {}): "
      "{} draws of "
      "prices on the counts of {} simulations with other hardware numbers{}.\n\n"
      "| result | as described | 5 % | 50 % | 95 % |\n|---|---|---|---|---|\n",
      u.seed, u.draws, u.hardware_draws - u.rejected,
      u.rejected > 0
          ? fmt::format(" ({} more were refused, the last because: {})", u.rejected, first_words(u.rejection))
          : "");
  for (const result::Percentiles& p : u.metrics) {
    const std::string unit = unit_of(p.name);
    text += fmt::format("| {} | {} | {} | {} | {} |\n", p.name, with_prefix(p.nominal, unit),
                        with_prefix(p.p5, unit), with_prefix(p.p50, unit), with_prefix(p.p95, unit));
  }
  text += fmt::format(
      "\nThe inputs that carry most of the variance of J/token (all hardware numbers together: {}):\n\n"
      "| input | as described | share of the variance | J/token at its 5 % | at its 95 % | source |\n"
      "|---|---|---|---|---|---|\n",
      percent(u.hardware_energy_share));
  for (std::size_t i = 0; i < std::min(kShown, u.inputs.size()); ++i) {
    const result::InputEffect& e = u.inputs[i];
    text += fmt::format("| {}{} | {} | {} | {} | {} | {} |\n", i < kNamed ? "**" + e.name + "**" : e.name, "",
                        e.text, percent(e.energy_share), e.low == e.high ? "-" : significant(e.low),
                        e.low == e.high ? "-" : significant(e.high), first_words(e.source));
  }
  return text + "\n";
}

std::string uncertainty_tornado(const result::Uncertainty& u, const std::string& title) {
  std::vector<Swing> swings;
  for (const result::InputEffect& i : u.inputs) {
    if (i.low == i.high) continue;
    swings.push_back({fmt::format("{} ({})", i.name, i.text), i.low, i.high});
  }
  std::stable_sort(swings.begin(), swings.end(), [](const Swing& a, const Swing& b) {
    return std::abs(a.high - a.low) > std::abs(b.high - b.low);
  });
  if (swings.size() > kShown) swings.resize(kShown);
  double base = 0;
  for (const result::Percentiles& p : u.metrics)
    if (p.name == "energy_J_per_token") base = p.nominal;
  return tornado("Inputs at 5 and 95 %: " + title, "J/token as described", base, swings);
}

std::string anchor_table(const std::vector<result::EnergyAnchor>& anchors) {
  std::string text =
      "| measurement | scope | tokens/s measured | simulated | W measured | predicted | J/token measured | "
      "predicted | error |\n"
      "|---|---|---|---|---|---|---|---|---|\n";
  struct Sum {
    double absolute = 0, plain = 0;
    int n = 0;
  };
  std::map<std::string, Sum> sums;
  for (const result::EnergyAnchor& a : anchors) {
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {}{:+.0f} % |\n", a.id, a.scope,
                        significant(a.measured_tokens_per_s), significant(a.predicted_tokens_per_s),
                        significant(a.measured_J * a.measured_tokens_per_s),
                        significant(a.predicted_J * a.predicted_tokens_per_s), significant(a.measured_J),
                        significant(a.predicted_J), a.fitted ? "fitted: " : "", 100 * a.error());
    if (a.fitted) continue;
    Sum& s = sums[a.hardware.substr(a.hardware.find_last_of('/') + 1)];
    s.absolute += std::abs(a.error());
    s.plain += a.error();
    ++s.n;
  }
  text += "\n| hardware | rows | mean absolute error of J/token | mean error |\n|---|---|---|---|\n";
  for (const auto& [hardware, s] : sums)
    text += fmt::format("| {} | {} | {:.0f} % | {:+.0f} % |\n", hardware, s.n, 100 * s.absolute / s.n,
                        100 * s.plain / s.n);
  return text;
}

}  // namespace edgenpu::report
