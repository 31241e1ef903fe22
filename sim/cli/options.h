// What the subcommands share in reading their arguments. Every mistake is an InputError whose position is the
// option.
#pragma once

#include <boost/program_options.hpp>
#include <functional>
#include <string>
#include <vector>

#include "cli/paths.h"

namespace edgenpu::cli {

using Arguments = std::vector<std::string>;

// The program as the user called it ("build/release/bin/edgenpu"), for examples that can be pasted.
void set_program(const std::string& name);
const std::string& program();

// Parses `arguments` (after the subcommand). Unknown options are errors with the nearest known one; --help
// prints `usage`, the options and `example` and returns true. Paths are checked (cli/paths.h).
bool parse(const Arguments& arguments, const po::options_description& options, const std::string& usage,
           const std::string& example, po::variables_map& values,
           const po::positional_options_description& positional = {});

// A whole number at least `low` from an option given as text.
std::int64_t count_of(const po::variables_map& values, const std::string& option, std::int64_t low);
// One of `names`.
std::string choice_of(const po::variables_map& values, const std::string& option,
                      const std::vector<std::string>& names);
// Whether an option was given, rather than filled in by its default.
bool given(const po::variables_map& values, const std::string& option);
// Throws for those of `options` that were given: they would change nothing. `why` is what they go with.
void refuse(const po::variables_map& values, const std::vector<std::string>& options, const std::string& why);
// What --set gives, each thing once (config/set_once.h); empty if it was not given.
std::vector<std::string> settings_of(const po::variables_map& values);
// The text of an option that must be there.
std::string required(const po::variables_map& values, const std::string& option, const std::string& what);

// Where models/ and hw_configs/ lie: the environment variable EDGENPU_DATA, else the source tree of this
// build.
std::string data_dir();
// The option's text, else `path` within data_dir().
std::string shipped_file(const po::variables_map& values, const std::string& option, const std::string& path);

// Shows how many steps are done on standard error: a line that renews itself on a terminal, nothing
// elsewhere.
std::function<void(std::size_t, std::size_t)> step_progress();

// What commands on published measurements share: --measurements, --mapping, --jobs and --cache.
void add_measurement_options(po::options_description& to);
// Their values, in a request that has these members.
template <class Request>
void set_measurement_options(const po::variables_map& values, Request& r) {
  r.data_dir = data_dir();
  r.mapping = shipped_file(values, "mapping", "/hw_configs/published/mapping.yaml");
  if (values.count("cache")) r.cache = values["cache"].template as<std::string>();
  if (values.count("jobs")) r.jobs = static_cast<int>(count_of(values, "jobs", 1));
  r.progress = step_progress();
}

}  // namespace edgenpu::cli
