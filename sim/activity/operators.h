// Index of an operator of the trace being run. Everything that is counted or timed names the operator that it
// was done for, so that every total can be taken apart.
#pragma once

#include <cstdint>

namespace edgenpu::activity {

enum class OperatorId : std::int32_t {};

constexpr std::int32_t index(OperatorId id) {
  return static_cast<std::int32_t>(id);
}

}  // namespace edgenpu::activity
