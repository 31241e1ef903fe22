// The platform table as text and as CSV (one line a platform and model).
#pragma once

#include <string>

#include "result/platform_table.h"
#include "result/table.h"

namespace edgenpu::report {

std::string text(const result::PlatformTable& table);
result::Table table(const result::PlatformTable& table);

}  // namespace edgenpu::report
