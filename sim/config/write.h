// A configuration as YAML text, in one line: for results that name what they were made from.
#pragma once

#include <string>

namespace edgenpu::config {

class Value;

// Reading it back gives the same content. Citations (`source`, `note`) are left out.
std::string to_yaml(const Value& value);

}  // namespace edgenpu::config
