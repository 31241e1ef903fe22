// Group quantisation as papers describe it: a tensor is cut into groups of 4 to 256 values, each kept as
// codes of 2 to 8 bits with a scale and a zero point of its own. Three ways to choose the levels:
//
//   range      scale = (max - min) / (2^bits - 1), zero point a whole code
//   clipped    the range is drawn in, by the factor that gives the group the least squared error: outliers
//              saturate
//   equalised  one table of 2^bits levels for the whole tensor, placed where the histogram of the values
//              (each put on 0..1 in its group's range) is equally full; the group keeps its min and its range
//
// Bits a value: bits + (16-bit scale + zero point) / group. The zero point takes `bits` bits, the min of
// `equalised` 16; the level table (16 bits a level) is counted over the whole tensor.
//
// Scales, mins and levels are rounded to f16 as a file would hold them. Errors: InputError for options out of
// range; values are taken as finite. Source: method as in claims about NPUs with "scale and zero point for
// each 4 weights".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "numerics/quantise.h"

namespace edgenpu::numerics {

enum class Levels { range, clipped, equalised };

struct GroupOptions {
  Levels levels = Levels::range;
  int bits = 4;    // 2 to 8
  int group = 32;  // 4 to 256; a last group may be shorter
};

struct GroupQuantised {
  GroupOptions options;
  std::vector<std::uint8_t> codes;
  std::vector<float> scale;  // one a group; equalised: the range
  std::vector<float> zero;   // one a group: the zero point, a whole code; equalised: the min
  std::vector<float> level;  // equalised: 2^bits levels in 0..1
};

GroupQuantised group_quantise(const GroupOptions& options, const float* values, std::int64_t count);
void decode(const GroupQuantised& quantised, float* out);
double bits_per_value(const GroupQuantised& quantised);

// One line of a comparison of quantisers on the same values.
struct QuantiserRow {
  std::string name;
  double bits_per_value;
  QuantisationError error;
};

// Every block format that can be quantised and every group method for each of `groups` at 4 bits. `count`
// must be whole blocks of 256.
std::vector<QuantiserRow> compare_quantisers(const float* values, std::int64_t count,
                                             const std::vector<int>& groups);

// The comparison as a table of text.
std::string format_table(const std::vector<QuantiserRow>& rows);

}  // namespace edgenpu::numerics
