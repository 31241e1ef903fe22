// Subcommands by name, and exit codes by kind of error: 0 done, 2 bad input, 3 infeasible, 1 ours.
#pragma once

#include <string>
#include <vector>

namespace edgenpu::cli {

// `program`: as the user called it, for examples that can be pasted.
int dispatch(const std::vector<std::string>& arguments, const std::string& program);

}  // namespace edgenpu::cli
