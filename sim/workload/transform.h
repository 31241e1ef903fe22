// Transformations of a model, from YAML: what it would be after pruning, factorising, thinning out or keeping
// parts of it in other number formats. Bytes, products and memory follow from the changed tensors.
//
//   name: half-rank
//   source: "..."                       (optional)
//   transformations:                    (applied in this order)
//     - {kind: precision, tensors: "ffn_down", layers: "0-3,28", format: F16}
//     - {kind: prune_rows, share: 0.25}           neurons of the feed-forward part: rows of gate and up,
//                                                 columns of down
//     - {kind: prune_columns, share: 0.125}       width of the residual stream, in every matrix
//     - {kind: prune_heads, share: 0.25}          KV heads with the query heads that share them
//     - {kind: prune_layers, layers: "20-27"}
//     - {kind: low_rank, tensors: "ffn_*", rank: 1024}       W (n x k) = B (n x r) A (r x k)
//     - {kind: sparsity, tensors: "*", density: 0.5, index_bits: 2}
//                                                 kept weights of a row, each with an index
//     - {kind: skip_layers, layers: "8-23", probability: 0.5}    that a token needs the layer
//     - {kind: skip_neurons, probability: 0.3}                   that a token needs a neuron
//     - {kind: drop_tokens, layers: "4-31", keep: 0.5}
//                                                 cached and prompt tokens that a layer still sees
//     - {kind: window, size: 1024, global_every: 0}    newest tokens that a layer sees; each n-th sees all
//
// `tensors` matches names without "blk.N." and ".weight", '*' standing for any text; `layers` lists layers
// and ranges and may be left out for all. What pruning leaves is rounded up to whole blocks of the tensors'
// formats. Input-dependent parts are taken at their expectation: a step of B tokens touches 1 - (1 - p)^B of
// what each needs with probability p, and computes all of it for every token. Skipped parts stay in memory.
// Left out: what a transformation does to accuracy; predictors of skipped parts; experts in low_rank and in
// the neuron kinds (refused).
//
// Errors: InputError with positions: unknown kinds and keys, shares out of range, a pattern that matches
// nothing, layers that the model does not have, rows that are not whole blocks of a format.
#pragma once

#include <string>

#include "workload/generate.h"

namespace edgenpu::config {
class Value;
}  // namespace edgenpu::config

namespace edgenpu::workload {

StoredModel transform(StoredModel model, const config::Value& document);

// `name_or_path`: a name in DATA_DIR/models/transformations, or a path (contains '/' or ends in ".yaml").
StoredModel transform(StoredModel model, const std::string& name_or_path, const std::string& data_dir);

}  // namespace edgenpu::workload
