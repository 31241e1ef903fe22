// The search for the cheapest plan of a matrix product.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <numeric>
#include <tuple>

#include "base/error.h"
#include "base/rates.h"
#include "lowering/plan.h"
#include "lowering/product_plan.h"
#include "lowering/tile_choice.h"

namespace edgenpu::lowering {

using config::LoopOrder;

namespace {

// Passes of the array (dot products: cycles) that a command for part of the rows lasts at least, and words of
// the lanes that take its results, so that issue, set-up and pipeline stay small beside it; a shorter one is
// a last resort. Assumed.
constexpr std::int64_t kShortestCommand = 128;
// How far a plan may be from the cycles of the uncut product before it is a last resort: one in so many.
// Assumed.
constexpr std::int64_t kLostCycles = 4;
constexpr Bytes kAnyRoom{std::numeric_limits<std::int64_t>::max()};

class Search {
 public:
  Search(const Product& p, const config::Npu& npu, Bytes room, const config::PlanOverride& wanted)
      : p_(p), npu_(npu), room_(room), wanted_(wanted), split_(wanted.split.value_or(npu.matrix.split)) {
    const ProductPlan uncut{LoopOrder::activations, p.most_rows(), p.n, p.k, p.n, split_, {}};
    least_cycles_ = cycles_of(p, uncut, npu);
    usual_ = usual_outputs(p.k);
  }

  ProductChoice run() {
    check_reduction();
    for (const LoopOrder order : {LoopOrder::activations, LoopOrder::outputs, LoopOrder::weights})
      if (!wanted_.order || *wanted_.order == order) search(order);
    const std::size_t best = best_order({});
    if (!best_[best]) refuse();
    ProductChoice choice{*best_[best], std::nullopt};
    choice.runner_up = best_[best_order(best)];
    return choice;
  }

 private:
  using Key = std::tuple<bool, std::int64_t, bool, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;
  Key key(const ProductPlan& plan) const {
    const ProductCost& c = plan.cost;
    const bool wasteful = c.cycles > least_cycles_ + least_cycles_ / kLostCycles ||
                          (plan.m < p_.most_rows() && short_commands(plan));
    // Narrower pieces of results than a load of whole rows brings are more and shorter commands and stores.
    const bool narrow = p_.results_leave && plan.piece < usual_;
    return {wasteful, c.dram().count(), narrow, c.cycles, c.exposed.count(), c.sums.count(), plan.tiles(p_)};
  }

  // Of the array, or of the lanes that the results leave by.
  bool short_commands(const ProductPlan& plan) const {
    const std::int64_t results = plan.m * plan.width(p_);
    return plan.m * plan.k < kShortestCommand * npu_.matrix.columns ||
           (p_.results_leave && results < kShortestCommand * npu_.vector.lanes);
  }

  std::size_t best_order(std::optional<std::size_t> but) const {
    std::size_t best = but == std::size_t{0} ? 1 : 0;
    for (std::size_t o = 0; o < best_.size(); ++o)
      if (o != but && best_[o] && (!best_[best] || key(*best_[o]) < key(*best_[best]))) best = o;
    return best;
  }

  void search(LoopOrder order) {
    for (const std::int64_t k : reductions(order))
      for (const std::int64_t m : row_counts()) consider(order, m, k);
  }

  // Whole, or halves of it in whole units.
  std::vector<std::int64_t> reductions(LoopOrder order) const {
    if (wanted_.k > 0) return {std::min(wanted_.k, p_.k)};
    std::vector<std::int64_t> all;
    if (order != LoopOrder::outputs || p_.k_unit == 0 || p_.k <= p_.k_unit) all.push_back(p_.k);
    if (order == LoopOrder::weights || p_.k_unit == 0) return all;
    for (std::int64_t units = ceil_div(p_.k, p_.k_unit); units > 1;) {
      units = ceil_div(units, 2);
      all.push_back(units * p_.k_unit);
    }
    return all;
  }

  // Blocks of equal length, in whole granules; the same for every scratchpad.
  std::vector<std::int64_t> row_counts() const {
    const std::int64_t all = p_.most_rows();
    if (wanted_.m > 0) return {std::min(wanted_.m, all)};
    std::vector<std::int64_t> counts{all};
    for (std::int64_t blocks = 2; counts.back() > kLargestGranule; ++blocks) {
      const std::int64_t m = ceil_div(ceil_div(all, blocks), kLargestGranule) * kLargestGranule;
      if (m < counts.back()) counts.push_back(m);
    }
    for (std::int64_t m = kLargestGranule / 2; m > 0; m /= 2)
      if (m < all) counts.push_back(m);
    return counts;
  }

  // Outputs of the smallest useful load: a pass of the engines, or what a load may bring.
  std::int64_t least_outputs(std::int64_t k) const {
    std::int64_t n = std::min(p_.n, outputs_per_pass(npu_));
    if (npu_.tile > Bytes(0))
      for (const Product::Part& part : p_.parts)
        n = std::min(n, std::max<std::int64_t>(1, npu_.tile.count() * p_.k / (part.row.count() * k)));
    return n;
  }
  // What a load brings if there is room, the same for every scratchpad: tile_choice.h.
  std::int64_t usual_outputs(std::int64_t k) const {
    std::int64_t n = p_.n;
    for (const Product::Part& part : p_.parts)
      n = choose_tile(npu_, Bytes(ceil_div(part.row.count() * k, p_.k)), kAnyRoom, n);
    if (p_.results_leave) n = std::min(n, outputs_in_time(p_, npu_));
    return std::max(n, least_outputs(k));
  }

  void consider(LoopOrder order, std::int64_t m, std::int64_t k) {
    const std::int64_t least = least_outputs(k);
    ProductPlan plan{order, m, least, k, least, split_, {}};
    if (order == LoopOrder::weights) plan.n = std::min(p_.n, 2 * least);
    if (wanted_.n > 0) {
      plan.n = std::min(wanted_.n, p_.n);
      plan.piece = std::min(plan.piece, plan.n);
    }
    if (order == LoopOrder::activations) plan.piece = plan.n;
    if (!fits(plan)) return;
    if (order != LoopOrder::activations && wanted_.n == 0) {
      ProductPlan wide = plan;
      wide.piece = std::min(p_.n, usual_outputs(k));
      wide.n = std::min(p_.n, 2 * wide.piece);
      if (fits(wide)) plan = wide;
    }
    if (wanted_.n == 0) grow(plan.n, plan, order == LoopOrder::activations ? usual_outputs(k) : p_.n);
    if (order == LoopOrder::activations)
      plan.piece = plan.n;
    else
      grow(plan.piece, plan, std::min(plan.n, usual_outputs(k)));
    plan.cost.cycles = cycles_of(p_, plan, npu_);
    std::optional<ProductPlan>& best = best_[static_cast<std::size_t>(order)];
    if (!best || key(plan) < key(*best)) best = plan;
  }

  // The most of `length`, an extent of `plan`, up to `most`, that fits; blocks are made equal.
  void grow(std::int64_t& length, ProductPlan& plan, std::int64_t most) {
    const std::int64_t pass = outputs_per_pass(npu_);
    const bool tile = plan.order == LoopOrder::activations, block = &length == &plan.n;
    const auto set = [&](std::int64_t n) {
      length = n;
      if (tile) plan.piece = n;
      return fits(plan);
    };
    const std::int64_t least = length;
    if (most <= least || set(most)) return;
    std::int64_t low = least / pass, high = ceil_div(most, pass) - 1;  // passes
    while (low < high) {
      const std::int64_t middle = (low + high + 1) / 2;
      if (set(middle * pass))
        low = middle;
      else
        high = middle - 1;
    }
    std::int64_t found = std::max(least, low * pass);
    if (block && p_.most_rows() > 1) found = equal_tiles(p_.n, found, pass);
    set(std::max(least, found));
  }

  bool fits(ProductPlan& plan) {
    plan.cost = bytes_of(p_, plan);
    const Bytes needed = plan.cost.scratchpad();
    if (!least_needed_ || needed < *least_needed_) least_needed_ = needed;
    return needed <= room_;
  }

  // A wish for a cut that the operands do not have.
  void check_reduction() const {
    if (wanted_.k == 0 || wanted_.k >= p_.k) return;
    const auto refuse = [this](const std::string& why) {
      throw InfeasibleError(fmt::format("{}: lowering.plan.'{}' wants tile_k {} of {}, but {}", p_.name,
                                        wanted_.pattern, wanted_.k, p_.k, why));
    };
    if (p_.k_unit == 0) refuse("its sparse weights are read in whole rows");
    if (wanted_.k % p_.k_unit != 0)
      refuse(fmt::format("blocks of its weights and folds of the array are whole in multiples of {} only",
                         p_.k_unit));
    if (wanted_.order == LoopOrder::weights) refuse("held weights have their whole reduction");
  }

  [[noreturn]] void refuse() const {
    const std::string what =
        wanted_.any() ? fmt::format(" as lowering.plan.'{}' wants it", wanted_.pattern) : "";
    throw InfeasibleError(
        fmt::format("{}: the product of {} x {} x {} with {}.weight{} needs {} B of scratchpad for weights, "
                    "activations and "
                    "results; there are {} B of {} B",
                    p_.name, p_.most_rows(), p_.n, p_.k, p_.name, what,
                    least_needed_.value_or(Bytes(0)).count(), room_.count(), npu_.scratchpad.size.count()));
  }

  const Product& p_;
  const config::Npu& npu_;
  const Bytes room_;
  const config::PlanOverride& wanted_;
  config::Split split_;
  std::int64_t least_cycles_ = 0, usual_ = 0;
  std::array<std::optional<ProductPlan>, 3> best_;  // [order]
  std::optional<Bytes> least_needed_;
};

}  // namespace

ProductChoice search_product(const Product& p, const config::Npu& npu, Bytes room,
                             const config::PlanOverride& wanted) {
  return Search(p, npu, room, wanted).run();
}

}  // namespace edgenpu::lowering
