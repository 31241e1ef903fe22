// Patterns of names: * stands for any text, also none; everything else for itself.
#pragma once

#include <string>

namespace edgenpu {

bool matches(const std::string& pattern, const std::string& text);

}  // namespace edgenpu
