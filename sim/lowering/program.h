// A program: the commands that an NPU executes for one step, in the order in which its command processor
// issues them. Commands are plain numbers (bytes, shapes, cycles inputs); no addresses of the scratchpad
// survive lowering, only the dependencies that its plan implies.
//
// A command starts when every command that it waits for has finished:
//   data   it reads what that command produced or loaded
//   space  it overwrites scratchpad bytes that that command was the last to read
//   order  the program forbids overlap (prefetch switched off)
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "activity/operators.h"
#include "base/quantity.h"
#include "config/npu.h"

namespace edgenpu::lowering {

enum class Unit { load, store, matrix, vector, cores };
inline constexpr int kUnits = 5;

enum class Wait { data, space, order };

struct Dependency {
  std::int32_t command;
  Wait wait;
};

// Why bytes move: the trace needs them once; they are read again, because they did not fit; they are written
// only to be read again.
enum class Purpose : std::uint8_t { once, again, spill };

// One entry of a gather list.
struct GatherPiece {
  std::int64_t address = 0;
  Bytes bytes{0};
};

enum class TransferKind {
  linear,   // one piece
  strided,  // pieces of one size, a stride apart (2D)
  gather,   // pieces anywhere, named by a list
};

// linear, strided: `count` pieces of `bytes` each, `stride` apart in DRAM. gather: `bytes` in all, in
// `pieces` pieces from Program::gather on; `address` is where their list lies.
struct Transfer {
  std::int64_t address = 0;
  Bytes bytes{0};
  std::int64_t count = 1;
  Bytes stride{0};
  Purpose purpose = Purpose::once;
  std::int32_t first_piece = 0, pieces = 0;  // of a gather

  TransferKind kind() const {
    return pieces > 0 ? TransferKind::gather : count > 1 ? TransferKind::strided : TransferKind::linear;
  }
  Bytes total() const { return bytes * count; }
};

// What a causal mask leaves of a product over `keys` keys: rows belong to tokens, `rows` to each, and token t
// stands at position `first` + t, counted from the first key. It sees the keys up to its own position, at
// most the newest `window` of them (0: no limit). Masked products are not computed.
struct Band {
  std::int64_t tokens = 0, rows = 1, first = 0, keys = 0, window = 0;
  bool keys_are_outputs = true;  // the keys run along n (scores); false: along k (weighted sum of values)

  std::int64_t visible(std::int64_t token) const {
    const std::int64_t end = first + token + 1;
    const std::int64_t high = std::clamp<std::int64_t>(end, 0, keys);
    return high - (window == 0 ? 0 : std::clamp<std::int64_t>(end - window, 0, high));
  }
  std::int64_t visible() const {
    std::int64_t sum = 0;
    for (std::int64_t t = 0; t < tokens; ++t) sum += visible(t);
    return sum;
  }
};

// m x n x k on the matrix engines, divided among them as `split` says.
struct MatrixWork {
  std::int64_t m = 1, n = 0, k = 0;
  // Of the operator's product: where its results belong, and the first of the reduction. Behind the first
  // tile of the reduction a command goes on from partial sums.
  std::int64_t first_row = 0, first_output = 0, first_k = 0;
  std::int8_t operands = 0;  // index into Program::operand_pairs
  std::int8_t format = 0;    // index into Program::formats: what the decoder reads; -1: operands need none
  Bytes weights{0};          // stored bytes read from the scratchpad
  Bytes activations{0};      // input bytes read by each engine
  Bytes results{0};          // bytes written back: results or partial sums
  Bytes sums{0};             // bytes of partial sums read
  std::int32_t band = -1;    // index into Program::bands; -1: every product is computed
  config::Split split = config::Split::outputs;
};

struct VectorWork {
  std::int64_t elements = 0, operations = 1;  // lane operations per element, over all passes
  Bytes read{0}, written{0};                  // by all passes
  // Words of `lanes` elements that each pass takes; 0: the elements fill all words but the last.
  std::int64_t words = 0;
  std::int64_t trees = 0;  // passes that end in a reduction
};

// Work of the chip's CPU: fp32 operations of its lanes, and what its cores move to and from the scratchpad.
struct CoresWork {
  std::int64_t operations = 0;
  std::int64_t products = 0;  // among them
  Bytes read{0}, written{0};
  // The first and the last command in a row of one operator: it is handed over before, and back behind them.
  bool opens = false, closes = false;
};

struct Command {
  Unit unit;
  activity::OperatorId op;
  std::int32_t work;                            // index into the list of the unit's kind
  std::int32_t first_dependency, dependencies;  // into Program::dependencies
  bool barrier = false;                         // not issued before all commands before it have finished
};

struct FormatUse {
  std::string name;                // "Q4_K"
  std::int64_t weights_per_cycle;  // of the engine's decoder
  bool four_bit;                   // decodes to int4 operands
  std::int64_t scale_group;        // weights per scale; 0: no scales
};

struct OperandUse {
  vocabulary::Operands pair;
  double products_per_cycle;
};

struct Program {
  std::vector<Command> commands;
  std::vector<Dependency> dependencies;
  std::vector<Transfer> transfers;
  std::vector<GatherPiece> gather;
  std::vector<MatrixWork> matrix;
  std::vector<VectorWork> vector;
  std::vector<CoresWork> cores;
  std::vector<Band> bands;
  std::vector<FormatUse> formats;
  std::vector<OperandUse> operand_pairs;
  int operators = 0;
  Bytes scratchpad_fixed{0};  // activations, workspace, held weights and results on their way out
  Bytes scratchpad_ring{0};   // the rest: loads flow through it
  Bytes spill{0};             // DRAM for activations that do not fit
  std::vector<std::string> operator_names;
};

// Products that a command computes.
std::int64_t products(const Program& program, const MatrixWork& work);

}  // namespace edgenpu::lowering
