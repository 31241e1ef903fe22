// Where a report goes.
#pragma once

#include <string>

namespace edgenpu::report {

// Throws InputError where write_output could not write, as far as that shows beforehand; leaves nothing behind.
void check_output(const std::string& path);

// "-" is standard output. A file appears whole or not at all: the text goes to a temporary file beside it,
// which then takes its name. A path that exists and is not a regular file (a pipe, a device) is written to
// directly. Throws InputError that names the path and the system's reason, and where the file was read before:
// an output never replaces an input.
void write_output(const std::string& path, const std::string& text);

// On standard output: text that may hold names of others, with what a terminal would obey made visible.
void print(const std::string& text);

// Throws InputError if something of what was printed to standard output so far did not get there.
void finish_standard_output();

}  // namespace edgenpu::report
