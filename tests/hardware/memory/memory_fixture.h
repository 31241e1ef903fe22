// Memory descriptions for tests: the shipped presets, with overrides as on the command line.
#pragma once

#include <string>
#include <vector>

#include "config/memory.h"
#include "config/value.h"

namespace edgenpu {

inline config::Memory load_memory(const std::string& part, const std::vector<std::string>& overrides = {}) {
  config::Value tree =
      config::parse_file(std::string(EDGENPU_SOURCE_DIR) + "/hw_configs/memory/" + part + ".yaml");
  for (const std::string& o : overrides) config::apply_override(tree, o);
  Diagnostics out;
  config::Memory memory = config::read_memory(tree, out);
  out.throw_if_any();
  return memory;
}

}  // namespace edgenpu
