// One line of a memory trace of another simulator, as written: no memory is known here yet. Inner part of
// trace_replay.h, which lists the formats.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace edgenpu::hardware {

enum class TraceFormat { load_store, read_write, cpu, timed, misc, stl, rstl };
const char* to_string(TraceFormat format);

// What is wrong with a line. `kind` is the same text for complaints of the same kind.
struct TraceComplaint {
  const char* kind;
  std::string message;
};

struct TraceLine {
  std::uint64_t address = 0;
  std::string_view vector;  // an address vector instead of an address
  bool write = false;
  std::int64_t cycle = 0;                  // where the format has a time
  std::int64_t bytes = 0;                  // 0: not given
  std::optional<std::uint64_t> writeback;  // written after it
};

using TraceWords = std::vector<std::string_view>;
TraceWords split_words(std::string_view text, const char* separators = " \t\r\v\f");

// Longest time and length. Idle refreshes are simulated one by one: this many clocks take seconds.
constexpr std::int64_t kMostCycles = std::int64_t{1} << 37;

// Throw TraceComplaint. `name` is the file's, whose ending or beginning decides between formats of one look.
TraceFormat recognise_trace(const TraceWords& words, const std::string& name);
TraceLine parse_trace_line(TraceFormat format, TraceWords words);

// A decimal or 0x-hexadecimal number of 64 bits; `hexadecimal`: always in base 16.
std::uint64_t trace_number(std::string_view word, const char* what, bool hexadecimal = false);

}  // namespace edgenpu::hardware
