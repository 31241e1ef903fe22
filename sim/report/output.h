// Where a report goes.
#pragma once

#include <string>

namespace edgenpu::report {

// Throws InputError where write_output could not write, as far as that shows beforehand; writes nothing.
void check_output(const std::string& path);

// "-" is standard output. A file appears whole or not at all: the text goes to a temporary file beside it,
// which then takes its name. A path that exists and is not a regular file (a pipe, a device) is written to
// directly. Throws InputError that names the path and the system's reason.
void write_output(const std::string& path, const std::string& text);

}  // namespace edgenpu::report
