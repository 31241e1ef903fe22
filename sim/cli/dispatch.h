// Subcommands by name, and exit codes by kind of error: 0 done, 2 bad input, 3 infeasible, 1 ours.
#pragma once

#include <string>
#include <vector>

namespace edgenpu::cli {

int dispatch(const std::vector<std::string>& arguments);

}  // namespace edgenpu::cli
