#include "timing/bank_conflicts.h"

#include <algorithm>
#include <cmath>

namespace edgenpu::timing {

namespace {

// Requests of one access to a bank: `sure`, and one more with probability `chance`.
struct Demand {
  std::int64_t sure;
  double chance;
};

Demand demand(double words, std::int64_t banks) {
  const double per_bank = words / static_cast<double>(banks);
  const auto sure = static_cast<std::int64_t>(std::floor(per_bank));
  return {sure, per_bank - static_cast<double>(sure)};
}

}  // namespace

double expected_words(std::int64_t banks, std::int64_t ports, double words,
                      const std::vector<double>& older) {
  // free[p]: probability that the older accesses leave p ports of a bank.
  std::vector<double> free(static_cast<std::size_t>(ports) + 1, 0.0);
  free.back() = 1;
  for (const double other : older) {
    const Demand d = demand(other, banks);
    std::vector<double> left(free.size(), 0.0);
    for (std::int64_t p = 0; p <= ports; ++p) {
      const double probability = free[static_cast<std::size_t>(p)];
      left[static_cast<std::size_t>(std::max<std::int64_t>(0, p - d.sure))] += probability * (1 - d.chance);
      left[static_cast<std::size_t>(std::max<std::int64_t>(0, p - d.sure - 1))] += probability * d.chance;
    }
    free = left;
  }
  const Demand own = demand(words, banks);
  double served = 0;
  for (std::int64_t p = 0; p <= ports; ++p)
    served +=
        free[static_cast<std::size_t>(p)] * ((1 - own.chance) * static_cast<double>(std::min(p, own.sure)) +
                                             own.chance * static_cast<double>(std::min(p, own.sure + 1)));
  return served * static_cast<double>(banks);
}

}  // namespace edgenpu::timing
