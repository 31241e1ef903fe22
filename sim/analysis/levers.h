// The numbers of a hardware description that `explain` tries.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "config/value.h"

namespace edgenpu::analysis {

// What is tried, more specific numbers first: of two that close the same gap, the first is named.
struct Lever {
  const char* path;  // ".*": all numbers of the map
  bool more_is_better;
  bool may_be_cause;           // more bandwidth or clock helps whatever the design lacks
  bool is_everything = false;  // more of them are more of each part, so they name none
};
const std::vector<Lever>& levers();

// The numbers of a lever as they stand: path and text.
std::vector<std::pair<std::string, std::string>> numbers_of(const config::Value& tree,
                                                            const std::string& path);

}  // namespace edgenpu::analysis
