// Where blocks lie: packed from their areas, or read from a description.
//
// Packing: a squarified treemap. The die is a rectangle of its blocks' areas, the parts off the die (memory
// packages, converters) lie beside it, and the whole is about square. Blocks tile it without gaps or
// overlaps; edges lie on whole nanometres, so areas are kept to 1e-5. It is a plan to compute temperatures
// on, not a layout: no pads, no aspect ratios of macros, no wiring.
//
// Description (metres as text with units, the left lower corner at 0, 0):
//   blocks:
//     matrix: {x: 0 mm, y: 0 mm, width: 2 mm, height: 1.2 mm}
// Every block needs its place; unknown names, overlaps and blocks left of or below the origin are
// InputErrors.
#pragma once

#include <string>
#include <vector>

#include "energy/blocks.h"

namespace edgenpu::config {
class Value;
}  // namespace edgenpu::config

namespace edgenpu::energy {

struct Placed {
  std::string name;
  double x = 0, y = 0, width = 0, height = 0;  // metres, whole nanometres

  double area() const { return width * height; }
};

// In the order of the blocks.
std::vector<Placed> pack(const std::vector<Block>& blocks);
std::vector<Placed> read_floorplan(const config::Value& description, const std::vector<Block>& blocks);

struct Extent {
  double width = 0, height = 0;
};
Extent extent(const std::vector<Placed>& plan);

}  // namespace edgenpu::energy
