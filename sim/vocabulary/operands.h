// Operand pairs: what a multiplier takes of a weight and of an activation.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace edgenpu::vocabulary {

// In the order of their names.
enum class Operands : unsigned char { bf16, fp16, int4_int8, int8 };

inline constexpr std::array kAllOperands = {Operands::bf16, Operands::fp16, Operands::int4_int8,
                                            Operands::int8};

const char* name_of(Operands pair);
std::optional<Operands> operands_by_name(const std::string& name);
// Of an activation.
int activation_bytes(Operands pair);

std::vector<std::string> names_of(const std::vector<Operands>& pairs);

}  // namespace edgenpu::vocabulary
