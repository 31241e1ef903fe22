// Which platform serves a model best under a latency limit and a power limit. Plain data.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/outcome.h"

namespace edgenpu::result {

struct SelectionFigures {
  double tokens_per_s = 0, ms_per_token = 0, J_per_token = 0, power_W = 0, edp_J_s = 0;
};

struct SelectionMap {
  std::string quant;
  long long context = 0;
  double power_limit_W = 0;
  std::vector<std::string> platforms, models;
  std::vector<double> parameters;                             // [model], weights in the model
  std::vector<std::vector<Outcome<SelectionFigures>>> cells;  // [platform][model]; none: does not fit
  std::vector<double> limits_ms;                              // per token
  std::vector<std::vector<int>> best;  // [limit][model]: platform of the least EDP, or -1
};

// What a published figure would need to hold: a step that comes near it.
struct PublishedStep {
  std::string platform, model, quant;
  long long batch = 1;
  double published = 0, simulated = 0;  // tokens/s
};

}  // namespace edgenpu::result
