// An NPU as its YAML describes it: resolved, immutable. The section names are the YAML's.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/quantity.h"
#include "config/memory.h"
#include "config/value.h"

namespace edgenpu::config {

// How an array of rows x columns multipliers works through a product: timing/matrix_array.h.
enum class Dataflow { dot_product, weight_stationary, output_stationary };

// What of a product the engines divide among themselves: outputs (n), rows of activations (m: tokens,
// requests, query heads), the reduction (k, with a tree of adders between them); `best`: whichever is
// shortest.
enum class Split { outputs, rows, reduction, best };

// Identical engines behind one sequencer.
struct MatrixEngines {
  Dataflow dataflow = Dataflow::dot_product;
  int engines = 0, rows = 0, columns = 0;
  bool overlapped = true;  // systolic: loading weights or shifting results out overlaps the stream
  Split split = Split::outputs;
  bool multicast = false;  // what all engines need is read from the scratchpad once, not by each
  Cycles pipeline;         // multiplier, adder tree, accumulator: from the last operand to the result
  // Products per multiplier and cycle by operand pair: int4_int8, int8, fp16, bf16. A missing pair cannot be
  // computed.
  std::map<std::string, double> rate;
  // Weights decoded per cycle and engine, by block format (Q4_K ...). A missing format cannot be decoded.
  std::map<std::string, std::int64_t> decode;
  Bytes port;  // scratchpad bytes per cycle and engine

  // Outputs that an engine computes side by side.
  int outputs() const { return dataflow == Dataflow::dot_product ? rows : columns; }
};

// SIMD lanes in fp32, one lane operation per lane and cycle.
struct VectorEngine {
  int lanes = 0;
  Cycles start;  // from the command to the first result: decode, pipeline, reduction tree
  // Lane operations per element of each function.
  std::map<std::string, std::int64_t> operations;
};

struct Scratchpad {
  Bytes size;
  int banks = 0;
  Bytes width;  // bytes per cycle of one bank; each bank reads and writes in the same cycle (1R1W)
};

struct Dma {
  int channels = 0;     // descriptors in progress
  int outstanding = 0;  // requests in flight, all channels
  Bytes request;        // bytes of one request
  Cycles setup;         // per descriptor
};

struct Npu {
  std::string name, description;
  Hertz clock;
  std::optional<Watts> tdp;  // as published, for comparisons "at TDP"; nothing else uses it
  MatrixEngines matrix;
  VectorEngine vector;
  Scratchpad scratchpad;
  Dma dma;
  Bytes interconnect_width;       // bytes per cycle between memory controllers and scratchpad
  Cycles issue;                   // command processor: cycles per command
  int queue_depth = 0;            // commands waiting per unit
  Femtoseconds host_overhead{0};  // from the host's request to the first command
  bool prefetch = true;           // weights of the next operator load while the current one computes
  bool double_buffering = true;   // the next tile loads while this one is used
  bool fusion = true;             // activations follow their products tile by tile where several rows pass
  std::int64_t kv_page = 0;       // cached tokens that lie together; 0: all of a head
  int accumulator_bits = 32;  // arithmetic.accumulator_bits; the section's other keys concern numerics/ only
  Bytes tile;                 // bytes of a load, at most; 0: chosen for each product (lowering/tile_choice.h)
  Memory memory;

  // Bytes of a load that nothing else decides: two granules of 8 KiB in each of eight channels. The same for
  // every memory, so that a plan does not change, and perhaps get worse, with a faster one.
  Bytes load_size() const { return tile > Bytes(0) ? tile : Bytes(128 * 1024); }
};

// The vector functions that an NPU must know: keys of vector.operations.
const std::map<std::string, std::string>& vector_functions();

// Reads a tree of load_hardware_tree. Throws InputError with all findings.
Npu read_npu(const Value& tree);

}  // namespace edgenpu::config
