// An NPU as its YAML describes it: resolved, immutable. The section names are the YAML's.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/quantity.h"
#include "config/memory.h"
#include "config/placement.h"
#include "vocabulary/operands.h"
#include "vocabulary/vector_function.h"

namespace edgenpu::config {

class Value;

// How an array of rows x columns multipliers works through a product: timing/matrix_array.h.
enum class Dataflow { dot_product, weight_stationary, output_stationary };

// What of a product the engines divide among themselves: outputs (n), rows of activations (m: tokens,
// requests, query heads), the reduction (k, with a tree of adders between them); `best`: whichever is
// shortest.
enum class Split { outputs, rows, reduction, best };

// Loop order of a matrix product: what stays on the chip while the rest streams (lowering/product_plan.h).
enum class LoopOrder { activations, weights, outputs };
const std::vector<std::string>& loop_orders();  // by their names
const std::vector<std::string>& splits();

// What a description wants of the plan of some products (lowering.plan); the search decides what is left
// open.
struct PlanOverride {
  std::string pattern;  // of operator names; * stands for any text
  Position where;
  std::optional<LoopOrder> order;
  std::int64_t m = 0, n = 0, k = 0;  // 0: open
  std::optional<Split> split;
  bool any() const { return order || m > 0 || n > 0 || k > 0 || split; }
};

// Identical engines behind one sequencer.
struct MatrixEngines {
  Dataflow dataflow = Dataflow::dot_product;
  int engines = 0, rows = 0, columns = 0;
  bool overlapped = true;  // systolic: loading weights or shifting results out overlaps the stream
  Split split = Split::outputs;
  bool multicast = false;  // what all engines need is read from the scratchpad once, not by each
  Cycles pipeline;         // multiplier, adder tree, accumulator: from the last operand to the result
  // Products per multiplier and cycle by operand pair. A missing pair cannot be computed.
  std::map<vocabulary::Operands, double> rate;
  // Weights decoded per cycle and engine, by block format (Q4_K ...). A missing format cannot be decoded.
  std::map<std::string, std::int64_t> decode;
  Bytes port;  // scratchpad bytes per cycle and engine
  // Activations of one command that an engine keeps; more are read again for each pass over its rows of
  // weights. Assumed: one row of the widest product (the 14336 int8 inputs of an 8B model's ffn_down).
  Bytes buffer{16 * 1024};

  // Outputs that an engine computes side by side.
  int outputs() const { return dataflow == Dataflow::dot_product ? rows : columns; }
};

// One pass of a vector function over the rows of a command: hardware/npu/vector_engine.h.
struct VectorPass {
  std::int64_t operations = 1;  // lane operations per element
  bool read = true;             // takes the elements from the scratchpad; false: they stayed in registers
  bool write = false;           // leaves fp32 for a later pass; the last pass writes the result, always
  bool reduce = false;          // ends in the tree over the lanes, for which the next pass waits
};

// SIMD lanes in fp32, one lane operation per lane and cycle.
struct VectorEngine {
  int pipelines = 1;  // each has its lanes and works on a command of its own
  int lanes = 0;      // of a pipeline
  Cycles start;       // from the command to the first result: decode, pipeline, reduction tree
  // Lane operations per element of each function, over all its passes.
  std::map<vocabulary::VectorFunction, std::int64_t> operations;
  // Functions that are described pass by pass; the others are one pass over all elements.
  std::map<vocabulary::VectorFunction, std::vector<VectorPass>> passes;
};

struct Scratchpad {
  Bytes size;
  int banks = 0;
  Bytes width;  // bytes per cycle of one port
  // Ports of a bank: 1r1w reads and writes in the same cycle, 1rw one of them.
  int read_ports = 1, write_ports = 1;
  bool shared_ports = false;  // read_ports serve both; write_ports has no meaning
  bool conflicts = false;  // accesses meet in banks (timing/bank_conflicts.h); false: one pool of bandwidth
};

struct Dma {
  int channels = 0;     // descriptors in progress
  int outstanding = 0;  // requests in flight, all channels
  Bytes request;        // bytes of one request
  Cycles setup;         // per descriptor
  bool gather = false;  // a descriptor may name a list of pieces: hardware/npu/dma.h
  // Of gather: bytes of one entry of the list, and where the list lies.
  Bytes list_entry{16};
  bool list_in_dram = true;
};

// Between memory controllers and scratchpad: hardware/npu/interconnect.h.
enum class Arbitration { first_come, round_robin, fixed };
struct Interconnect {
  Bytes width;  // per cycle
  Arbitration arbitration = Arbitration::first_come;
  bool store_first = false;  // of fixed
};

// What the command processor waits for before it goes on to the next operator or layer: that all commands
// have finished.
enum class Barriers { none, layer, operators };

// Functions that take results as they appear, where several rows pass: no place for these in between, and no
// reading of them again.
struct Fusion {
  bool activation = true;  // of a feed-forward part
  bool rope = true;        // queries and keys are turned as they appear
  bool norm = true;        // of the rows of a sum, as they appear
};

struct Npu {
  std::string name, description;
  Hertz clock;
  std::optional<Watts> tdp;  // as published, for comparisons "at TDP"; nothing else uses it
  MatrixEngines matrix;
  VectorEngine vector;
  Scratchpad scratchpad;
  Dma dma;
  Interconnect interconnect;
  Cycles issue;         // command processor: cycles per command
  int queue_depth = 0;  // commands waiting per unit
  Barriers barriers = Barriers::none;
  Femtoseconds host_overhead{0};  // from the host's request to the first command
  bool prefetch = true;           // weights of the next operator load while the current one computes
  bool double_buffering = true;   // the next tile loads while this one is used
  Fusion fusion;
  std::int64_t kv_page = 0;             // cached tokens that lie together; 0: all of a head
  std::vector<PlanOverride> plan;       // the first pattern that fits an operator counts
  std::vector<OperandChoice> operands;  // of products; the others take what their weights ask for
  std::optional<Cores> cores;           // beside the engines
  std::vector<Placed> placed;           // what runs on them
  int accumulator_bits = 32;  // arithmetic.accumulator_bits; the section's other keys concern numerics/ only
  Bytes tile;                 // bytes of a load, at most; 0: chosen for each product (lowering/tile_choice.h)
  // Bytes of a load that nothing else decides. Assumed: two granules of 8 KiB in each of eight channels. The
  // same for every memory, so that a plan does not change, and perhaps get worse, with a faster one.
  Bytes load{128 * 1024};
  // Results of a vector command, where it could take more rows. Assumed: short enough that what comes before
  // and after overlaps with it, long beside its start, and the same for every scratchpad.
  Bytes vector_command{32 * 1024};
  Memory memory;

  Bytes load_size() const { return tile > Bytes(0) ? tile : load; }
};

// Reads a tree of load_hardware_tree. Throws InputError with all findings.
Npu read_npu(const Value& tree);

}  // namespace edgenpu::config
