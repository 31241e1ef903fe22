// What a GGUF file's architecture fixes about a model beside what the file says: one row a family of
// llama.cpp's. Source: model definitions of llama.cpp (2025).
#pragma once

#include <string>
#include <vector>

#include "workload/gguf.h"
#include "workload/model.h"
#include "workload/operator.h"

namespace edgenpu::workload {

// What a family fixes; the rest is in the file.
struct GgufFamily {
  const char* name;
  RopeShape::Pairing pairing;
  Activation::Function activation = Activation::Function::silu;
  bool layer_norm = false, parallel = false;
  std::int64_t window = 0, global_every = 0;  // where the file does not say
  bool windows = true;                        // whether a window in the file applies
};

// Of the file's general.architecture. Throws InputError for one that is not known, with those that are.
const GgufFamily& gguf_family(const GgufFile& file);

std::vector<std::string> gguf_architectures();

}  // namespace edgenpu::workload
