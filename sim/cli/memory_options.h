// The memory that `edgenpu memory` drives: a part, a file, or a hardware's, with what the options change.
#pragma once

#include "cli/options.h"
#include "config/memory.h"

namespace edgenpu::cli {

// `section`: the description that it was read from, for the prices in it.
config::Memory memory_of(const po::variables_map& values, config::Value& section);

}  // namespace edgenpu::cli
