// That a study sets each thing once: of two places that set one path, or a path and a part of it, one would lose
// in silence.
#pragma once

#include <string>
#include <vector>

#include "sweep/study_file.h"

namespace edgenpu::sweep {

// Throws InputError that names both places. What the command line (--set) sets instead of the file's own value is
// allowed: such cases are returned as notes.
std::vector<std::string> check_settings(const Study& study);

}  // namespace edgenpu::sweep
