// A configuration as YAML text, in one line: for results that name what they were made from.
#pragma once

#include <string>

#include "config/value.h"

namespace edgenpu::config {

// Reading it back gives the same content. Citations (`source`, `note`) are left out.
std::string to_yaml(const Value& value);

}  // namespace edgenpu::config
