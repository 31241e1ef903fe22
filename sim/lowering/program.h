// A program: the commands that an NPU executes for one step, in the order in which its command processor
// issues them. Commands are plain numbers (bytes, shapes, cycles inputs); no addresses of the scratchpad
// survive lowering, only the dependencies that its plan implies.
//
// A command starts when every command that it waits for has finished:
//   data   it reads what that command produced or loaded
//   space  it overwrites scratchpad bytes that that command was the last to read
//   order  the program forbids overlap (prefetch switched off)
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "activity/operators.h"
#include "base/quantity.h"

namespace edgenpu::lowering {

enum class Unit { load, store, matrix, vector };
inline constexpr int kUnits = 4;

enum class Wait { data, space, order };

struct Dependency {
  std::int32_t command;
  Wait wait;
};

// `count` pieces of `bytes` each, `stride` apart in DRAM: a 2D descriptor.
struct Transfer {
  std::int64_t address = 0;
  Bytes bytes{0};
  std::int64_t count = 1;
  Bytes stride{0};
};

// m x n x k on the matrix engines; the n outputs are divided among the engines.
struct MatrixWork {
  std::int64_t m = 1, n = 0, k = 0;
  std::int8_t operands = 0;  // index into Program::operand_pairs
  std::int8_t format = 0;    // index into Program::formats: what the decoder reads; -1: operands need none
  Bytes weights{0};          // stored bytes read from the scratchpad
  Bytes activations{0};      // input bytes read by each engine
  Bytes results{0};          // bytes written back
};

struct VectorWork {
  std::int64_t elements = 0, operations = 1;  // lane operations per element
  Bytes read{0}, written{0};
};

struct Command {
  Unit unit;
  activity::OperatorId op;
  std::int32_t work;                            // index into the list of the unit's kind
  std::int32_t first_dependency, dependencies;  // into Program::dependencies
};

struct FormatUse {
  std::string name;                // "Q4_K"
  std::int64_t weights_per_cycle;  // of the engine's decoder
  bool four_bit;                   // decodes to int4 operands
  std::int64_t scale_group;        // weights per scale; 0: no scales
};

struct OperandUse {
  std::string name;  // "int4_int8"
  double products_per_cycle;
};

struct Program {
  std::vector<Command> commands;
  std::vector<Dependency> dependencies;
  std::vector<Transfer> transfers;
  std::vector<MatrixWork> matrix;
  std::vector<VectorWork> vector;
  std::vector<FormatUse> formats;
  std::vector<OperandUse> operand_pairs;
  int operators = 0;
  Bytes scratchpad_fixed{0};  // activations and workspace
  Bytes scratchpad_ring{0};   // the rest: loads flow through it
  std::vector<std::string> operator_names;
};

}  // namespace edgenpu::lowering
