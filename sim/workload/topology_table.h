// The text of a SCALE-Sim topology as cells with positions, and what its columns are. Inner part of
// import_topology.h, which says what is accepted.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace edgenpu::workload {

struct TopologyCell {
  std::string text;
  Position position;
};

// A line with content. `open`: no comma follows the last cell, so it may be a comment.
struct TopologyLine {
  std::vector<TopologyCell> cells;
  bool open = false;
};

// Lines that hold anything but blanks and separators, in order; the first is the header.
std::vector<TopologyLine> topology_lines(const std::string& text, const std::string& source);

enum class TopologyColumn { unknown, stride_width, sparsity, batch };

struct TopologyHeader {
  bool gemm = false;
  std::size_t fixed = 0;                // the name and the numbers that every line has
  std::vector<TopologyColumn> further;  // columns after them
  std::vector<std::string> names;       // of all columns, as written
};

// Throws InputError where the columns are none of the two kinds, or stand in another order.
TopologyHeader topology_header(const TopologyLine& line);

extern const char* const kTopologyHeaders;

}  // namespace edgenpu::workload
