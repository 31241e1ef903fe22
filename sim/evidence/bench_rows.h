// The tests that llama.cpp's llama-bench wrote, in any of its five output forms (`-o json|jsonl|csv|md|sql`),
// as maps from its field names to what it wrote: the same maps for the same tests, whatever the form, but for
// the fields that a form leaves out or rounds (md).
//
// What stands before the output (log lines of back ends) is skipped, and so are lines behind it that are no
// test. A byte order mark is ignored. Errors: InputError with the position of what is wrong: no output of any form, UTF-16, a broken form,
// an unreadable file.
#pragma once

#include <string>
#include <vector>

#include "config/value.h"

namespace edgenpu::evidence {

// Empty where a list of no tests was written.
std::vector<config::Value> read_bench_rows(const std::string& path);

}  // namespace edgenpu::evidence
