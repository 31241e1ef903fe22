// The subcommands. Each parses its own arguments, does one thing and returns an exit code; errors are thrown.
#pragma once

#include <string>
#include <vector>

namespace edgenpu::cli {

using Arguments = std::vector<std::string>;

int run_command(const Arguments& arguments);
int compare_command(const Arguments& arguments);
int validate_command(const Arguments& arguments);
int calibrate_command(const Arguments& arguments);
int plan_command(const Arguments& arguments);
int trace_command(const Arguments& arguments);
int memory_command(const Arguments& arguments);
int numerics_command(const Arguments& arguments);
int explain_command(const Arguments& arguments);
int sweep_command(const Arguments& arguments);
int power_command(const Arguments& arguments);
int results_command(const Arguments& arguments);

}  // namespace edgenpu::cli
