// What the paths of a configuration are called in expressions and tables, and what their values are there.
//
// "scratchpad.size" becomes scratchpad_size_B: dots become underscores, and the base unit of the value is
// appended (B, Hz, s, J, W, cycles, B_per_s, ...; a plain number has none). A quantity becomes a number in
// that unit, a number a number, everything else text; true and false stay text.
#pragma once

#include <string>
#include <vector>

#include "config/value.h"
#include "result/table.h"

namespace edgenpu::sweep {

struct NamedCell {
  std::string name;
  result::Cell cell;
};

// A scalar, or the number itself of one with a range. Maps and lists become their canonical text.
NamedCell named_cell(const std::string& path, const config::Value& value);

// Every scalar of a resolved configuration, sources left out.
std::vector<NamedCell> named_cells(const config::Value& tree);

// The dotted paths of every scalar and section.
std::vector<std::string> paths_of(const config::Value& tree);

// The content of a configuration with quantities in base units: equal for "1 GHz" and "1000 MHz". Sources are
// left out.
std::string normal_text(const config::Value& tree);

}  // namespace edgenpu::sweep
