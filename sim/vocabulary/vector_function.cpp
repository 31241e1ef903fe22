#include "vocabulary/vector_function.h"

#include "base/error.h"

namespace edgenpu::vocabulary {
namespace {

using F = VectorFunction;
constexpr bool kWholeRow = true, kInAnotherKernel = false;

template <class Predicate>
std::vector<std::string> names_where(Predicate wanted) {
  std::vector<std::string> names;
  for (const FunctionInfo& f : vector_functions())
    if (wanted(f)) names.emplace_back(f.name);
  return names;
}

}  // namespace

const std::vector<FunctionInfo>& vector_functions() {
  static const std::vector<FunctionInfo> functions = {
      {F::add, "add", "sum of two vectors"},
      {F::argmax, "argmax", "comparison with the running maximum"},
      {F::decode, "decode", "one stored weight to fp32 (embedding rows)"},
      {F::gelu, "gelu", "x times the normal distribution function, by its tanh form"},
      {F::layer_norm, "layer_norm", "mean, variance, normalise, scale and shift", kWholeRow},
      {F::multiply, "multiply", "product of two vectors"},
      {F::quantise, "quantise", "largest magnitude, scale, round to int8", kWholeRow},
      {F::rescale, "rescale", "correction of a partial attention sum when the running maximum changes", false,
       kInAnotherKernel},
      {F::rms_norm, "rms_norm",
       "square and accumulate, scale by the inverse root mean square, multiply by the weight", kWholeRow},
      {F::rope, "rope",
       "rotation of a pair: two multiplications and an addition per element; the angles' sine and cosine"},
      {F::silu, "silu", "x / (1 + exp(-x))"},
      {F::softmax, "softmax", "maximum, subtract, exponential, sum, divide", kWholeRow},
  };
  return functions;
}

const FunctionInfo& info(VectorFunction function) {
  const auto index = static_cast<std::size_t>(function);
  if (index < vector_functions().size() && vector_functions()[index].function == function)
    return vector_functions()[index];
  throw InternalError("a vector function that is not in its place of the table");
}

const char* name_of(VectorFunction function) {
  return info(function).name;
}

std::optional<VectorFunction> function_by_name(const std::string& name) {
  for (const FunctionInfo& f : vector_functions())
    if (name == f.name) return f.function;
  return std::nullopt;
}

std::vector<std::string> vector_function_names() {
  return names_where([](const FunctionInfo&) { return true; });
}

std::vector<std::string> row_function_names() {
  return names_where([](const FunctionInfo& f) { return f.whole_row; });
}

std::vector<std::string> kernel_function_names() {
  return names_where([](const FunctionInfo& f) { return f.kernel; });
}

}  // namespace edgenpu::vocabulary
