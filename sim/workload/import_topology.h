// Topologies of SCALE-Sim (CSV) as traces: a chain of matrix products, one a line.
//
//   Layer, M, N, K,                                                                              (GEMM)
//   Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides, (conv)
//
// The header decides which. A convolution becomes the product that SCALE-Sim makes of it: m = output pixels,
// ceil((ifmap - filter + stride) / stride) in each direction, n = filters, k = filter height x width x
// channels. A trailing comma and a last column "Sparsity" of "1:1" are accepted; a stride may have two
// columns (height, width). Each layer needs the one before it; the weights are stored in `format`. The trace
// is one decode step of one token: its tokens/s are runs of the network a second.
//
// Left out: pooling and activations between layers, which topologies do not have; sparsity other than 1:1
// (refused). Errors: InputError with file:line:column: an unknown header, cells that are missing, left over,
// or no whole number in range, a filter larger than its input, a row of weights that is not whole blocks.
// Source: SCALE-Sim v2 and v3, topologies/ and its topology reader.
#pragma once

#include <string>

#include "workload/trace.h"

namespace edgenpu::workload {

Trace import_topology(const std::string& path, Format format);
Trace parse_topology(const std::string& text, const std::string& source_name, Format format);

}  // namespace edgenpu::workload
