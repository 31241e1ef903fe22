// A model as its GGUF file has it: shapes from the metadata, and every tensor with its own type and bytes.
//
// Modelled: the architectures of gguf_family.cpp. Experts in one tensor or in one each (older Mixtral files);
// fused projections; heads that differ from layer to layer; short convolutions; tied heads, and files that
// store the head besides; models in several files, given by any of them (gguf_split.h). Rope factors are
// loaded once and not read by a step; of a table of positions a token reads its row, which is not counted.
//
// Errors: InputError with the file and what is missing: an unknown architecture (with the known ones, and a
// model YAML as the way on), metadata that are missing or impossible, a tensor that is missing, does not fit
// its neighbours, or that no operator of the family reads (its bytes would go uncounted). Source: model
// definitions and tensor names of llama.cpp (2025).
#pragma once

#include <string>

#include "workload/generate.h"
#include "workload/gguf.h"

namespace edgenpu::workload {

StoredModel import_gguf(const GgufFile& file);
StoredModel import_gguf(const std::string& path);

}  // namespace edgenpu::workload
