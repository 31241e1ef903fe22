// Assignments as --set gives them ("memory.channels=4"): each thing is set once.
#pragma once

#include <string>
#include <vector>

namespace edgenpu::config {

// Throws InputError where two assignments set one thing: the same path twice, or a path and one within it.
void refuse_set_twice(const std::vector<std::string>& assignments);

}  // namespace edgenpu::config
