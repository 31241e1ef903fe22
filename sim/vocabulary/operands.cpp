#include "vocabulary/operands.h"

#include "base/error.h"

namespace edgenpu::vocabulary {

const char* name_of(Operands pair) {
  switch (pair) {
    case Operands::bf16:
      return "bf16";
    case Operands::fp16:
      return "fp16";
    case Operands::int4_int8:
      return "int4_int8";
    case Operands::int8:
      return "int8";
  }
  throw InternalError("an operand pair without a name");
}

std::optional<Operands> operands_by_name(const std::string& name) {
  for (const Operands pair : kAllOperands)
    if (name == name_of(pair)) return pair;
  return std::nullopt;
}

int activation_bytes(Operands pair) {
  switch (pair) {
    case Operands::bf16:
    case Operands::fp16:
      return 2;
    case Operands::int4_int8:
    case Operands::int8:
      return 1;
  }
  throw InternalError("an operand pair without a size");
}

std::vector<std::string> names_of(const std::vector<Operands>& pairs) {
  std::vector<std::string> names;
  for (const Operands pair : pairs) names.emplace_back(name_of(pair));
  return names;
}

}  // namespace edgenpu::vocabulary
