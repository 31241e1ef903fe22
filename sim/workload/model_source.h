// Where a model comes from, as --model names it: a GGUF file (its own tensors and types), a config.json or a
// model YAML (a shape, to which a quantisation mixture gives types), or a name in models/.
#pragma once

#include <string>

#include "workload/generate.h"

namespace edgenpu::workload {

inline constexpr const char* kDefaultQuant = "Q4_K_M";

// quant: "" for what a config.json says of its own weights, else for the default of a shape. InputError if it is given with a GGUF file, which has its own types.
// The mixture that is asked for, or that a config.json names of itself; "" for none.
std::string stated_quant(const std::string& name_or_path, const std::string& quant);

bool is_gguf(const std::string& name_or_path);

StoredModel open_model(const std::string& name_or_path, const std::string& quant,
                       const std::string& data_dir);

}  // namespace edgenpu::workload
