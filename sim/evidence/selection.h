// Model size x latency limit -> the platform with the least energy-delay product within a power limit, from
// simulated decode steps; and under which model, quantisation and batch a published rate would hold.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "result/selection.h"

namespace edgenpu::evidence {

struct SelectionRequest {
  std::vector<std::string> hardware;  // empty: those of the published table
  std::vector<std::string> models;    // names, ascending in size
  std::string published, data_dir, cache;
  // Without them those of the published table. Explanations try three quantisations of each model instead.
  std::optional<std::string> quant;
  std::optional<long long> context;
  double power_limit_W = 30;
  std::vector<double> limits_ms;
  int jobs = 0;
  std::function<void(std::size_t, std::size_t)> progress;
};

// Throws InputError. A model that does not fit a platform is a cell with its reason.
result::SelectionMap selection_map(const SelectionRequest& request);

// For each published tokens/s, the steps whose simulated rate comes nearest, best first, at most `keep` of
// them within 15 %; if none is, the nearest one.
std::vector<result::PublishedStep> explain_published(const SelectionRequest& request, std::size_t keep = 4);

}  // namespace edgenpu::evidence
