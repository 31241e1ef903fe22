#include "base/outcome.h"

#include <array>
#include <cstring>
#include <new>

#include "base/error.h"
#include "base/memory.h"

namespace edgenpu {

namespace {

constexpr std::array<const char*, 6> kNames = {"infeasible", "refused", "out_of_memory",
                                               "timed_out",  "lost",    "ours"};

// "file:line:column: message", as it was thrown.
[[noreturn]] void throw_input_error(const std::string& text) {
  const std::size_t end = text.find(": ");
  if (end == std::string::npos) throw InputError(Position{"the simulation"}, text);
  throw InputError(Position{text.substr(0, end)}, text.substr(end + 2));
}

}  // namespace

const char* name_of(Failure kind) {
  return kNames[static_cast<std::size_t>(kind)];
}

std::optional<Failure> failure_by_name(const std::string& name) {
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (name == kNames[i]) return static_cast<Failure>(i);
  return std::nullopt;
}

std::string to_string(const WhyNot& why) {
  return (why.kind == Failure::infeasible ? "infeasible: " : "") + why.text;
}

WhyNot why_not() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return {Failure::out_of_memory, out_of_memory()};
  } catch (const InfeasibleError& e) {
    return {Failure::infeasible, e.what()};
  } catch (const InputError& e) {
    return {Failure::refused, e.what()};
  } catch (const std::exception& e) {
    // SystemC hands on what leaves one of its processes as text only.
    if (std::strstr(e.what(), "std::bad_alloc")) return {Failure::out_of_memory, out_of_memory()};
    return {Failure::ours, e.what()};
  }
}

void throw_error(const WhyNot& why) {
  switch (why.kind) {
    case Failure::infeasible:
    case Failure::out_of_memory:
      throw InfeasibleError(why.text);
    case Failure::refused:
      throw_input_error(why.text);
    case Failure::timed_out:
    case Failure::lost:
    case Failure::ours:
      break;
  }
  throw InternalError(why.text);
}

}  // namespace edgenpu
