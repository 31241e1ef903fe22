// The software that runs a model on a CPU or GPU, as far as it costs time: which operators share a kernel,
// what a launch costs, how many instructions its kernels take per format. A part (hw_configs/runtime/), as
// data: no code of the simulator knows a runtime by name.
//
//   kind: runtime
//   device: cpu | gpu | accelerator
//   fuse: [[attn_q, attn_k, attn_v], ...]   consecutive operators of a trace, by name without "blk.N."
//                                           (operator_names.h), that run as one kernel; the longest list
//                                           that matches is taken
//   quantise: none | per_kernel | fused     integer kernels need their input in int8: a kernel of its own
//                                           before each kernel with such products, or inside the kernel
//   split: rows | elements                  how a kernel that is no matrix product is shared among cores:
//                                           whole rows (a single row runs on a single core), or blocks of
//                                           elements
//   block: {elements: 256, tokens: 64}      what one block takes of a kernel that is shared by elements, or that brings
//                                           inputs into int8; and how many cached tokens of split attention.
//                                           Default: these, assumed (a thread block of the usual size)
//   chunk_rows: 64                          of a CPU: rows of a matrix-vector product that a thread takes at a time, if
//                                           that leaves four chunks a thread. Default: this, assumed (ggml's)
//   launches: {attention: 5, ...}           operators that the runtime runs as several kernels one after the
//                                           other, by name as in `fuse` (default: one each)
//   launch: {per_token:, per_layer:, per_kernel:, per_logit:, graph:}
//     per_token   host time from one token's sample to the next token's first launch
//     per_layer   host time from the end of one layer to the start of the next, where each is a call of its
//                 own, so that the host waits for it (default: 0; not of a CPU)
//     per_kernel  host time to launch a kernel; with `graph`, all of a token's kernels are launched at once
//                 (of a CPU: false)
//     per_logit   host time per logit for sampling on the host; 0: a kernel samples
//   in_flight: {warps:, bytes_per_warp:}    of matrix-vector kernels on a GPU: resident warps of a
//                                           multiprocessor, and the loads that each has under way
//   kernels: {<isa>: {formats:, functions:, row:, narrow:, per_head:, batch:}}
//     formats    instructions per 256 stored elements and one activation row
//     functions  instructions per element of the element-wise functions
//     row        instructions per output and activation row of a product, besides
//     narrow     {below: {<format>: N}, row:} of matrix-vector products whose rows have fewer than N weights:
//                `row` in place of the other
//     per_head   attention is shared out by query heads, one a core, so that few heads leave cores idle; each
//                core takes in the cache of its head: instructions per 256 stored elements, once for a row,
//                or for `tile` rows of a batch, besides the products (default: attention is shared as `split`
//                says)
//     batch      {from:, tile:, formats:} for `from` rows and more, matrix kernels: on tensor units the
//                counts of the format are paid once per `tile` rows (decoding) and the products as `tensor`
//                work. With `batch.formats`, which is for devices without such units, only the formats that
//                it lists have matrix kernels: these counts per 256 stored elements and activation row,
//                decoding included, and `row` once per `tile` rows
//
// Errors: as the schema readers; an ISA that the runtime has no kernels for.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/instructions.h"
#include "vocabulary/vector_function.h"

namespace edgenpu::config {

inline constexpr std::int64_t kKernelUnit = 256;  // stored elements that a format's counts are for

struct Kernels {
  std::map<std::string, Instructions> formats;
  std::map<vocabulary::VectorFunction, Instructions> functions;
  Instructions row;
  std::map<std::string, std::int64_t> narrow_below;  // by format
  Instructions narrow_row;
  std::optional<Instructions> per_head;
  std::int64_t batch_from = 0, batch_tile = 0;        // 0: no batched kernels
  std::map<std::string, Instructions> batch_formats;  // without tensor units
};

struct Runtime {
  enum class Quantise { none, per_kernel, fused };
  enum class Split { rows, elements };

  std::string name;
  std::vector<std::vector<std::string>> fuse;
  Quantise quantise = Quantise::none;
  Split split = Split::rows;
  std::int64_t block_elements = 256, block_tokens = 64;
  std::int64_t chunk_rows = 64;
  std::map<std::string, std::int64_t> launches;  // kernels of an operator, where not one
  Femtoseconds per_token{0}, per_layer{0}, per_kernel{0}, per_logit{0};
  bool graph = false;
  int warps = 0;
  Bytes bytes_per_warp{0};
  Kernels kernels;
};

// Accepts the key `runtime_for` of a device (config/resolve.h reads it) and checks the quantisations in it.
void check_runtime_for(MapReader& device);

// `isa` is the device's instruction set, `device` its kind ("cpu").
Runtime read_runtime(const Value& section, const std::string& device, const std::string& isa,
                     Diagnostics& out);

}  // namespace edgenpu::config
