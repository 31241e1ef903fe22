#include "analysis/uncertainty.h"

#include <algorithm>
#include <numeric>

#include "analysis/sampling.h"
#include "base/error.h"
#include "base/rates.h"
#include "config/uncertain.h"
#include "simulate/power.h"

namespace edgenpu::analysis {

namespace {

using config::Uncertain;
using config::Value;
using result::Percentiles;

bool is_price(const Uncertain& u) {
  return u.paths.front().rfind("energy.", 0) == 0;
}

// A step is priced by the platform's table, not by the memory part's own prices.
bool is_price_of_part(const Uncertain& u) {
  return u.paths.front().rfind("memory.energy.", 0) == 0;
}

struct Drawn {
  double tokens_per_s = 0, energy = 0, power = 0, edp = 0;  // energy a token
  std::vector<double> components;                           // a token

  double metric(std::size_t i) const {
    return i == 0 ? tokens_per_s : i == 1 ? energy : i == 2 ? power : i == 3 ? edp : components[i - 4];
  }
};

// One operator with the sums: prices need no more.
StepCounts summed(StepCounts counts) {
  for (auto& values : counts.run.values)
    values = {std::accumulate(values.begin(), values.end(), std::int64_t{0})};
  counts.run.losses.resize(1);
  counts.run.engines.clear();
  return counts;
}

class Sampler {
 public:
  Sampler(const StepRequest& request, const UncertaintyOptions& options)
      : request_(request), options_(options), tree_(hardware_of(request)) {
    for (Uncertain& u : config::uncertain_numbers(tree_, options.assumed_factor))
      if (!is_price_of_part(u)) (is_price(u) ? prices_ : hardware_).push_back(std::move(u));
  }

  result::Uncertainty run() {
    simulate_draws();
    draw();
    price_effects();
    hardware_effects();
    std::stable_sort(result_.inputs.begin(), result_.inputs.end(),
                     [](const auto& a, const auto& b) { return a.energy_share > b.energy_share; });
    return std::move(result_);
  }

 private:
  void simulate_draws();
  void draw();
  void price_effects();
  void hardware_effects();
  Drawn priced(const StepCounts& counts, const Value& energy) const;
  void fill_percentiles(const std::vector<Drawn>& outcomes);
  const Value& energy() const { return *tree_.find("energy"); }

  const StepRequest& request_;
  const UncertaintyOptions& options_;
  const Value tree_;
  std::vector<Uncertain> prices_, hardware_;
  StepCounts nominal_;
  std::vector<StepCounts> runs_;                // of accepted hardware draws
  std::vector<std::vector<double>> quantiles_;  // [hardware number][accepted draw]
  std::vector<Drawn> outcomes_;
  std::vector<std::string> components_;
  result::Uncertainty result_;
};

Drawn Sampler::priced(const StepCounts& c, const Value& energy) const {
  const energy::StepEnergy step = energy::price(c.run, energy::read_table(energy), c.sizes);
  const double time = to_seconds(c.run.time).count();
  Drawn o;
  o.tokens_per_s = c.tokens / time;
  o.energy = step.total().count() / c.tokens;
  o.power = step.total().count() / time;
  o.edp = o.energy * time;
  for (const energy::ComponentEnergy& e : step.components)
    o.components.push_back(e.total().count() / c.tokens);
  return o;
}

// The described hardware first, then the draws.
void Sampler::simulate_draws() {
  const std::int64_t n = hardware_.empty() ? 0 : options_.hardware_draws;
  std::vector<std::vector<double>> drawn;
  for (const Uncertain& u : hardware_) drawn.push_back(stratified(n, options_.seed, u.paths.front()));
  std::vector<Value> trees = {tree_};
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
    Value tree = tree_;
    for (std::size_t u = 0; u < hardware_.size(); ++u)
      config::put(tree, hardware_[u], hardware_[u].at(drawn[u][i]));
    trees.push_back(std::move(tree));
  }
  std::vector<Outcome<StepCounts>> outcomes = simulate_counts(request_, trees, options_.jobs);
  nominal_ = summed(outcomes[0].take());
  quantiles_.resize(hardware_.size());
  for (std::size_t i = 1; i < outcomes.size(); ++i) {
    if (!outcomes[i]) {
      ++result_.rejected;
      result_.rejection = outcomes[i].why().text;
      continue;
    }
    runs_.push_back(summed(outcomes[i].take()));
    for (std::size_t u = 0; u < hardware_.size(); ++u) quantiles_[u].push_back(drawn[u][i - 1]);
  }
  if (runs_.empty()) runs_ = {nominal_};
  result_.hardware_draws = n;
}

void Sampler::draw() {
  std::vector<std::vector<double>> q;
  for (const Uncertain& u : prices_) q.push_back(stratified(options_.draws, options_.seed, u.paths.front()));
  for (std::size_t i = 0; i < static_cast<std::size_t>(options_.draws); ++i) {
    Value tree = Value::empty_map(tree_.position());
    tree.set("energy", energy());
    for (std::size_t u = 0; u < prices_.size(); ++u) config::put(tree, prices_[u], prices_[u].at(q[u][i]));
    outcomes_.push_back(priced(runs_[i % runs_.size()], *tree.find("energy")));
  }
  result_.draws = options_.draws;
  result_.seed = options_.seed;
  for (const energy::ComponentEnergy& e :
       energy::price(nominal_.run, energy::read_table(energy()), nominal_.sizes).components)
    components_.push_back(e.component);
  fill_percentiles(outcomes_);
  for (const Drawn& o : outcomes_) result_.edp.push_back(o.edp);
}

void Sampler::fill_percentiles(const std::vector<Drawn>& outcomes) {
  const Drawn nominal = priced(nominal_, energy());
  std::vector<std::string> names = {"tokens_per_s", "energy_J_per_token", "power_W", "edp_J_s"};
  for (const std::string& c : components_) names.push_back("energy_J_per_token." + c);
  for (std::size_t m = 0; m < names.size(); ++m) {
    std::vector<double> values;
    for (const Drawn& o : outcomes) values.push_back(o.metric(m));
    result_.metrics.push_back(
        {names[m], nominal.metric(m), quantile(values, 0.05), quantile(values, 0.5), quantile(values, 0.95)});
  }
}

template <class Get>
std::vector<double> column(const std::vector<Drawn>& outcomes, Get get) {
  std::vector<double> values;
  for (const Drawn& o : outcomes) values.push_back(get(o));
  return values;
}

const auto kEnergy = [](const Drawn& o) { return o.energy; };
const auto kEdp = [](const Drawn& o) { return o.edp; };

double share(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

void Sampler::price_effects() {
  constexpr int kPoints = 9;
  const double energy_all = variance(column(outcomes_, kEnergy)), edp_all = variance(column(outcomes_, kEdp));
  for (const Uncertain& u : prices_) {
    const auto with = [&](double q) {
      Value tree = Value::empty_map(tree_.position());
      tree.set("energy", energy());
      config::put(tree, u, u.at(q));
      return priced(nominal_, *tree.find("energy"));
    };
    std::vector<Drawn> points;
    for (int p = 0; p < kPoints; ++p) points.push_back(with((p + 0.5) / kPoints));
    const double energy_part = variance(column(points, kEnergy));
    if (energy_part <= 0) continue;
    result_.inputs.push_back({u.short_name(), u.paths.front(), u.text, u.source,
                              share(energy_part, energy_all), share(variance(column(points, kEdp)), edp_all),
                              with(0.05).energy, with(0.95).energy});
  }
}

void Sampler::hardware_effects() {
  if (quantiles_.empty() || runs_.size() < 3) return;
  std::vector<Drawn> points;
  for (const StepCounts& run : runs_) points.push_back(priced(run, energy()));
  const std::vector<double> energies = column(points, kEnergy), edps = column(points, kEdp);
  result_.hardware_energy_share = share(variance(energies), variance(column(outcomes_, kEnergy)));
  result_.hardware_edp_share = share(variance(edps), variance(column(outcomes_, kEdp)));
  const double nominal = priced(nominal_, energy()).energy;
  for (std::size_t u = 0; u < hardware_.size(); ++u) {
    const double e = result_.hardware_energy_share * squared_correlation(quantiles_[u], energies),
                 d = result_.hardware_edp_share * squared_correlation(quantiles_[u], edps);
    result_.inputs.push_back({hardware_[u].short_name(), hardware_[u].paths.front(), hardware_[u].text,
                              hardware_[u].source, e, d, nominal, nominal});
  }
}

}  // namespace

result::Uncertainty uncertainty(const StepRequest& request, const UncertaintyOptions& options) {
  return Sampler(request, options).run();
}

double probability_less(std::vector<double> a, std::vector<double> b) {
  if (a.empty() || b.empty()) throw InternalError("nothing was drawn");
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  double pairs = 0;
  for (const double x : b) {
    const auto below = std::lower_bound(a.begin(), a.end(), x) - a.begin();
    const auto equal = std::upper_bound(a.begin(), a.end(), x) - a.begin() - below;
    pairs += static_cast<double>(below) + static_cast<double>(equal) / 2;
  }
  return pairs / static_cast<double>(a.size()) / static_cast<double>(b.size());
}

}  // namespace edgenpu::analysis
