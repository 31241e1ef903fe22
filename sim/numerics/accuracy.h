// How far logits are from a reference: what a cheaper arithmetic costs.
#pragma once

#include <cstdint>
#include <vector>

namespace edgenpu::numerics {

struct Accuracy {
  std::int64_t positions = 0;
  double top1 = 1;     // share of positions with the same largest logit
  double rms = 0;      // of the differences of all logits
  double largest = 0;  // absolute difference
  double kl = 0;       // mean over positions of KL(reference || found) of the softmaxes, in nats
  double worst_kl = 0;
  // Positions with a found logit that is no finite number. They agree with nothing and count in `top1` only.
  std::int64_t not_finite = 0;
};

// The first position of [positions][vocabulary] with a logit that is no finite number; -1: all are.
std::int64_t first_not_finite(const std::vector<float>& logits, std::int64_t vocabulary);

// Both [positions][vocabulary], the reference finite; InternalError if the sizes differ or are not whole rows.
Accuracy compare_logits(const std::vector<float>& found, const std::vector<float>& reference,
                        std::int64_t vocabulary);

}  // namespace edgenpu::numerics
