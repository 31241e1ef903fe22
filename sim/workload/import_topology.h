// Topologies of SCALE-Sim (CSV) as traces: a chain of matrix products, one a line.
//
//   Layer, M, N, K,                                                                              (GEMM)
//   Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides, (conv)
//
// The number of columns decides which; names are compared only so far that a known one must not stand in
// another's place. A convolution becomes the product that SCALE-Sim makes of it: m = output pixels,
// ceil((ifmap - filter + stride) / stride) in each direction, n = filters, k = filter height x width x
// channels; with "DP" in its name it is depthwise, a product of one channel as often as there are channels.
// Columns that may follow, in any order: "Sparsity" (N:M, N of each M weights of a row are kept, each with an
// index of ceil(log2 M) bits; also without a name in the header), "Stride width" (of a convolution, where it
// is not the stride of the height) and "Batch size" (so many inputs: m grows). Each layer needs the one
// before it; the weights are stored in `format`. The trace is one decode step of one token: its tokens/s are
// runs of the network a second.
//
// Accepted as SCALE-Sim does: trailing commas, rows of commas only, words after the last comma beyond the
// columns. Beyond it: a last cell without a comma, tabs for commas.
//
// Left out: pooling and activations between layers, which topologies do not have. Errors: InputError with
// file:line:column: an unknown header or none, cells that are missing, in a column without a meaning, or no
// whole number in range, a filter larger than its input, a row of weights that is not whole blocks, products
// that leave 64 bits. Source: SCALE-Sim v2 and v3, topologies/ and its topology reader.
#pragma once

#include <string>

#include "workload/trace.h"

namespace edgenpu::workload {

Trace import_topology(const std::string& path, Format format);
Trace parse_topology(const std::string& text, const std::string& source_name, Format format);

}  // namespace edgenpu::workload
