// The operators of a layer trace: what has to be computed, on which shapes, from which stored bytes. No
// hardware in here. Shapes: m = tokens (rows of activations), n = outputs, k = reduction length; activations
// stay in the chip unless lowering spills them, weights and the KV cache lie in DRAM.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/quantity.h"
#include "vocabulary/vector_function.h"
#include "vocabulary/weight_format.h"

namespace edgenpu::workload {

using vocabulary::all_formats;
using vocabulary::Format;
using vocabulary::format_by_name;
using vocabulary::FormatInfo;
using vocabulary::info;
using vocabulary::Operands;
using vocabulary::row_bytes;
using vocabulary::VectorFunction;

// Looks up m rows of the embedding table and decodes them.
struct Embed {
  static constexpr const char* kName = "embed";
  std::int64_t m, width;
  Format format;
};

// Normalises `m` rows of `width`; `heads` > 1 for a per-head norm (rows = m x heads, one weight vector for
// all).
struct Norm {
  static constexpr const char* kName = "norm";
  enum class Kind { rms, layer };
  Kind kind;
  std::int64_t m, heads, width;
  Bytes weight_bytes;  // scale and, for layer norms, bias: stored as F32
};

// out[m, n] = in[m, k] x W[n, k]^T (+ bias).
struct MatMul {
  static constexpr const char* kName = "matmul";
  std::int64_t m, n, k;
  Format format;
  Bytes bias_bytes;
  // Matrices of this shape that are read: experts chosen by the step's tokens (1 for a dense product). `m` is
  // then the rows that one of them sees; the first `extra` of them see one row more.
  std::int64_t copies = 1, extra = 0;
  // Sparse weights: k of `inputs` elements of a row are kept (0: all), each with an index of so many bits.
  std::int64_t inputs = 0, index_bits = 0;

  std::int64_t rows() const { return copies * m + extra; }
  std::int64_t input_width() const { return inputs == 0 ? k : inputs; }
  Bytes stored_row() const { return row_bytes(format, k) + Bytes((k * index_bits + 7) / 8); }
};

// Turns the pairs of `head_dim` elements of each head; what a head has beyond them passes unchanged and is
// not counted.
struct Rope {
  static constexpr const char* kName = "rope";
  std::int64_t m, heads, head_dim;
};

// Scores, softmax and weighted sum over the cache for m query tokens. Of the `cached` rows of K and V per KV
// head those that a query sees are read from DRAM; the m new ones are still in the chip. Masked products are
// not counted: query i sees min(cached + i + 1, window) keys, its own among them.
struct Attention {
  static constexpr const char* kName = "attention";
  std::int64_t m, heads, kv_heads, head_dim, cached;
  std::int64_t window;  // 0 = none
  Format kv_format;
  std::int64_t requests = 1;  // batch: each has a cache of its own; m counts the tokens of one request
};

// Cached rows that a step's queries see: with a window, the first query's `window` less itself.
std::int64_t cached_rows_read(const Attention& attention);

// Stores the new K and V rows of m tokens.
struct KvWrite {
  static constexpr const char* kName = "kv_write";
  std::int64_t m, kv_heads, head_dim;
  Format kv_format;
};

// Element-wise function of `width` values per token; gated: multiplied by a second input of the same shape.
struct Activation {
  static constexpr const char* kName = "activation";
  enum class Function { silu, gelu };
  Function function;
  std::int64_t m, width;
  bool gated;
};

struct Add {
  static constexpr const char* kName = "add";
  std::int64_t m, width;
};

// Sum of `active` expert outputs for each of m tokens, weighted by their scores.
struct Combine {
  static constexpr const char* kName = "combine";
  std::int64_t m, active, width;
};

// Softmax over the experts' scores and choice of the best `active`.
struct Route {
  static constexpr const char* kName = "route";
  std::int64_t m, experts, active;
};

// Greedy choice over the logits of m tokens.
struct Sample {
  static constexpr const char* kName = "sample";
  std::int64_t m, vocab;
};

using OperatorBody =
    std::variant<Embed, Norm, MatMul, Rope, Attention, KvWrite, Activation, Add, Route, Sample, Combine>;

// What computes an operator: the engines of the device, or general cores beside them; of attention, perhaps
// only its vector functions on the cores.
enum class RunsOn : std::uint8_t { engines, functions_on_cores, cores };

struct Operator {
  std::string name;        // "blk.0.attn_q"
  int layer = -1;          // -1 outside the layers
  std::vector<int> needs;  // operators (earlier in the trace) whose results it reads
  OperatorBody body;
  // How a hardware description wants it computed (lowering/assign.h); no part of a trace file.
  std::optional<Operands> operands = {};  // of a product; none: what its format asks for
  RunsOn runs_on = RunsOn::engines;
  // What an operator takes that needs no other lies in memory, unless it is on the chip already.
  bool input_on_chip = false;
};

// Bytes of an element of a product's input, as its multipliers take it: fp32 on cores.
std::int64_t operand_bytes(const Operator& product);

// Operand pair of an operator's products; none if it has none.
std::optional<Operands> operands_of(const Operator& op);

// What a kind of norm or activation is called where its cost is described.
VectorFunction function_of(Norm::Kind kind);
VectorFunction function_of(Activation::Function function);

// kName: as written in trace files.
const char* kind_name(const OperatorBody& body);

// DRAM bytes that the operator needs, once each (section 5.1 of docs/architecture.md).
Bytes weight_bytes(const OperatorBody& body);  // weights, biases, norm scales, embedding rows
// What no operator makes of an operator's operands: rows of a product in its operand format, values of vector functions
// in fp32, queries and rows to be stored in 16 bits, new keys and values of attention as they are cached.
Bytes input_bytes(const Operator& op);
Bytes kv_read_bytes(const OperatorBody& body);
Bytes kv_write_bytes(const OperatorBody& body);
// Products of shapes: matrix products and both products of attention, masked ones left out.
Macs macs(const OperatorBody& body);

// Guards the 64-bit counts: an upper bound of every product and byte count that is derived from a body, taken in
// doubles, which do not overflow. A trace whose magnitudes sum to no more keeps all its totals below 2^62.
inline constexpr double kMaxMagnitude = 4.6e18;
double magnitude(const OperatorBody& body);

}  // namespace edgenpu::workload
