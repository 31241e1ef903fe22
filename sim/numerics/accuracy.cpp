#include "numerics/accuracy.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace edgenpu::numerics {
namespace {

// log of the sum of exponentials.
double log_sum(const float* x, std::int64_t count) {
  const double largest = *std::max_element(x, x + count);
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += std::exp(x[i] - largest);
  return largest + std::log(sum);
}

// A sum of terms of both signs: rounding may leave it a little below 0, where no divergence is.
double divergence(const float* found, const float* reference, std::int64_t count) {
  const double log_found = log_sum(found, count), log_reference = log_sum(reference, count);
  double kl = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const double p = reference[i] - log_reference, q = found[i] - log_found;
    kl += std::exp(p) * (p - q);
  }
  return std::max(kl, 0.0);
}

std::int64_t best(const float* x, std::int64_t count) {
  return std::max_element(x, x + count) - x;
}

bool finite(const float* x, std::int64_t count) {
  return std::all_of(x, x + count, [](float v) { return std::isfinite(v); });
}

}  // namespace

std::int64_t first_not_finite(const std::vector<float>& logits, std::int64_t vocabulary) {
  const std::int64_t positions = static_cast<std::int64_t>(logits.size()) / vocabulary;
  for (std::int64_t p = 0; p < positions; ++p)
    if (!finite(logits.data() + p * vocabulary, vocabulary)) return p;
  return -1;
}

Accuracy compare_logits(const std::vector<float>& found, const std::vector<float>& reference,
                        std::int64_t vocabulary) {
  if (vocabulary < 1 || found.size() != reference.size() ||
      found.size() % static_cast<std::size_t>(vocabulary) != 0)
    throw InternalError("comparing logits of different sizes");
  Accuracy a;
  a.positions = static_cast<std::int64_t>(found.size()) / vocabulary;
  if (a.positions == 0) return a;
  double squares = 0, same = 0;
  for (std::int64_t p = 0; p < a.positions; ++p) {
    const float* const x = found.data() + p * vocabulary;
    const float* const y = reference.data() + p * vocabulary;
    if (!finite(x, vocabulary)) {
      ++a.not_finite;
      continue;
    }
    for (std::int64_t i = 0; i < vocabulary; ++i) {
      const double difference = static_cast<double>(x[i]) - y[i];
      squares += difference * difference;
      a.largest = std::max(a.largest, std::fabs(difference));
    }
    const double kl = divergence(x, y, vocabulary);
    a.kl += kl;
    a.worst_kl = std::max(a.worst_kl, kl);
    same += best(x, vocabulary) == best(y, vocabulary) ? 1 : 0;
  }
  a.top1 = same / static_cast<double>(a.positions);
  const auto compared = static_cast<double>(a.positions - a.not_finite);
  if (compared == 0) return a;
  a.kl /= compared;
  a.rms = std::sqrt(squares / (compared * static_cast<double>(vocabulary)));
  return a;
}

}  // namespace edgenpu::numerics
