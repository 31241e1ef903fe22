// The formulas of a study, prepared, and what they did while its points were made. Internal to expand*.cpp.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sweep/expand.h"

namespace edgenpu::sweep {

struct Expansion::Conditions {
  struct Exclusion {
    int expression = 0;
    std::int64_t points = 0;           // that it excludes
    std::vector<std::string> missing;  // columns, where it was neither true nor false
  };

  Conditions(const Study& study, const std::vector<std::string>& columns);
  // Whether the point that is shown does not exist.
  bool excludes();
  void count(const Verdict& verdict);

  Expressions formulas;  // derived values first, as Resolver wants them
  std::vector<Exclusion> exclude;
  Constraints constraints;
  // Points about which each constraint on inputs says nothing.
  std::map<std::string, std::int64_t> silent;
};

}  // namespace edgenpu::sweep
