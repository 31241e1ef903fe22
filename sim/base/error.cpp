#include "base/error.h"

#include <fmt/format.h>

namespace edgenpu {

std::string to_string(const Position& position) {
  if (position.line == 0) return position.source;
  return fmt::format("{}:{}:{}", position.source, position.line, position.column);
}

namespace {
std::string join(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& d : diagnostics) {
    if (!text.empty()) text += '\n';
    text += fmt::format("{}: {}", to_string(d.position), d.message);
  }
  return text;
}
}  // namespace

InputError::InputError(std::vector<Diagnostic> diagnostics)
    : std::runtime_error(join(diagnostics)), diagnostics_(std::move(diagnostics)) {}

InputError::InputError(Position position, std::string message)
    : InputError(std::vector<Diagnostic>{{std::move(position), std::move(message)}}) {}

void Diagnostics::add(Position position, std::string message) {
  list_.push_back({std::move(position), std::move(message)});
}

void Diagnostics::throw_if_any() const {
  if (!list_.empty()) throw InputError(list_);
}

}  // namespace edgenpu
