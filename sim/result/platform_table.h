// One decode step of several models on several platforms, beside what was measured there. Plain data.
#pragma once

#include <string>
#include <vector>

#include "base/outcome.h"

namespace edgenpu::result {

struct MeasuredRate {
  std::string id, quant, runtime;
  double tokens_per_s = 0;
};

struct PlatformFigures {
  double tokens_per_s = 0, roof_tokens_per_s = 0, J_per_token = 0, edp_J_s = 0;
};

struct PlatformCell {
  std::string model, quant, runtime;
  Outcome<PlatformFigures> figures;
  std::vector<MeasuredRate> measured;  // of this hardware and model, whatever the format and context
  double article_tokens_per_s = 0;     // of the published platform table; 0: it has none
};

struct PlatformRow {
  std::string platform;
  std::vector<PlatformCell> cells;  // a model each
};

struct PlatformTable {
  long long context = 0;
  std::vector<PlatformRow> rows;
};

}  // namespace edgenpu::result
