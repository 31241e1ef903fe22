// The functions that vector engines, cores and kernels compute element by element: the keys of an NPU's
// `vector.operations` and of a runtime's `functions`.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace edgenpu::vocabulary {

// In the order of their names, which is the order of the table.
enum class VectorFunction : unsigned char {
  add,
  argmax,
  decode,
  gelu,
  layer_norm,
  multiply,
  quantise,
  rescale,
  rms_norm,
  rope,
  silu,
  softmax,
};

struct FunctionInfo {
  VectorFunction function;
  const char* name;
  const char* meaning;
  bool whole_row = false;  // needs a number of the whole row (a sum, a maximum): it may be given in passes
  bool kernel = true;      // a runtime's kernels compute it; false: part of another kernel there
};

const std::vector<FunctionInfo>& vector_functions();
const FunctionInfo& info(VectorFunction function);
const char* name_of(VectorFunction function);
std::optional<VectorFunction> function_by_name(const std::string& name);

std::vector<std::string> vector_function_names();
std::vector<std::string> row_function_names();     // of those with whole_row
std::vector<std::string> kernel_function_names();  // of those with kernel

}  // namespace edgenpu::vocabulary
