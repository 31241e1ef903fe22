// Names of the vocabulary that descriptions use as keys or values: those that do not exist are refused, with all
// that there are and the nearest.
#pragma once

#include <string>
#include <vector>

#include "config/value.h"

namespace edgenpu::config {

// `what` is the kind of name: "format", "quantisation".
void check_name(const std::string& name, const Position& where, const std::string& what,
                const std::vector<std::string>& known, Diagnostics& out);

// The keys of a map but `source`.
void check_keys(const Value& map, const std::string& what, const std::vector<std::string>& known,
                Diagnostics& out);

}  // namespace edgenpu::config
