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
};

// Both [positions][vocabulary]; InternalError if the sizes differ or are not whole rows.
Accuracy compare_logits(const std::vector<float>& found, const std::vector<float>& reference,
                        std::int64_t vocabulary);

}  // namespace edgenpu::numerics
