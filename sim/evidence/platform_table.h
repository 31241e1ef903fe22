// The platform table: decode rate, energy and EDP of a few model sizes on a list of platforms, beside what
// was measured on the same hardware with the same model (any format, runtime and context: the row says which)
// and beside an article's table.
//
//   kind: platform_list
//   source: TEXT
//   context: TOKENS, models: [NAME, ...], published: FILE
//   rows: [{platform: TEXT, hardware: FILE, quant: MIXTURE}, ...]
//
// Files are named relative to the list. The format is the platform's own: a runtime without kernels for
// Q4_K_M runs what it has. Errors: InputError with positions; a model that does not fit is a cell with its
// reason.
#pragma once

#include <functional>
#include <string>

#include "evidence/measurements.h"
#include "result/platform_table.h"

namespace edgenpu::evidence {

struct PlatformTableRequest {
  std::string list, mapping, data_dir, cache;
  int jobs = 0;
  std::function<void(std::size_t, std::size_t)> progress;
};

result::PlatformTable platform_table(const Measurements& measurements, const PlatformTableRequest& request);

}  // namespace edgenpu::evidence
