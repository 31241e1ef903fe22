#include "hardware/memory/trace_line.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include "base/suggest.h"

namespace edgenpu::hardware {

namespace {

struct Command {
  std::string_view word;
  bool write;
};
using Commands = std::vector<Command>;

const Commands kLoadStore = {{"LD", false}, {"ST", true}};
const Commands kReadWrite = {{"R", false}, {"W", true}};
const Commands kLower = {{"read", false}, {"write", true}};
// DRAMsim3 and both kinds of DRAMSim2; locked accesses are reads there, whatever their name says.
const Commands kTimed = {{"READ", false},      {"WRITE", true},      {"read", false},    {"write", true},
                         {"P_MEM_RD", false},  {"P_MEM_WR", true},   {"P_FETCH", false}, {"IFETCH", false},
                         {"P_LOCK_RD", false}, {"P_LOCK_WR", false}, {"BOFF", true}};

// A word of a complaint: what stands in a file of another kind may be long.
std::string shown(std::string_view word) {
  constexpr std::size_t kMost = 40;
  return word.size() <= kMost ? std::string(word) : std::string(word.substr(0, kMost)) + "...";
}

const Command* find(const Commands& commands, std::string_view word) {
  const auto found =
      std::find_if(commands.begin(), commands.end(), [&](const Command& c) { return c.word == word; });
  return found == commands.end() ? nullptr : &*found;
}

std::vector<std::string> words_of(const Commands& commands) {
  std::vector<std::string> words;
  for (const Command& c : commands) words.emplace_back(c.word);
  return words;
}

bool is_write(const Commands& commands, std::string_view word, TraceFormat format) {
  if (const Command* c = find(commands, word)) return c->write;
  throw TraceComplaint{
      "unknown command",
      fmt::format("unknown command '{}' in a {} trace; allowed: {}{}", shown(word), to_string(format),
                  join(words_of(commands)), did_you_mean(shown(word), words_of(commands)))};
}

bool is_prefixed(std::string_view word) {
  return word.size() > 2 && word[0] == '0' && (word[1] == 'x' || word[1] == 'X');
}

bool is_decimal(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_hexadecimal(std::string_view word) {
  if (is_prefixed(word)) word.remove_prefix(2);
  return !word.empty() && word.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

std::int64_t cycle_of(std::string_view word, const char* what = "cycle") {
  const std::uint64_t n = trace_number(word, what);
  if (n <= static_cast<std::uint64_t>(kMostCycles)) return static_cast<std::int64_t>(n);
  throw TraceComplaint{"number too large",
                       fmt::format("a {} of {}; allowed: up to {}", what, n, kMostCycles)};
}

void expect(const TraceWords& words, std::size_t least, std::size_t most, const char* form) {
  if (words.size() < least)
    throw TraceComplaint{"incomplete",
                         fmt::format("'{}' is incomplete; expected: {}", shown(words[0]), form)};
  if (words.size() > most)
    throw TraceComplaint{"left over",
                         fmt::format("'{}' is left over; expected: {}", shown(words[most]), form)};
}

TraceLine load_store(const TraceWords& words) {
  TraceLine line;
  line.write = is_write(kLoadStore, words[0], TraceFormat::load_store);
  expect(words, 2, 2, "LD ADDRESS");
  line.address = trace_number(words[1], "address");
  return line;
}

// Ramulator 2: R or W first, then its vector. Ramulator 1: the address first, in hexadecimal; a read where
// nothing follows.
TraceLine read_write(const TraceWords& words) {
  TraceLine line;
  if (find(kReadWrite, words[0])) {
    line.write = is_write(kReadWrite, words[0], TraceFormat::read_write);
    expect(words, 2, 2, "R ADDRESS");
    if (words[1].find(',') != std::string_view::npos)
      line.vector = words[1];
    else
      line.address = trace_number(words[1], "address");
    return line;
  }
  if (!is_hexadecimal(words[0]) && words.size() > 1) is_write(kReadWrite, words[0], TraceFormat::read_write);
  expect(words, 1, 2, "ADDRESS R");
  line.address = trace_number(words[0], "address", true);
  line.write = words.size() == 2 && is_write(kReadWrite, words[1], TraceFormat::read_write);
  return line;
}

TraceLine cpu(const TraceWords& words) {
  TraceLine line;
  expect(words, 2, 3, "INSTRUCTIONS READ-ADDRESS [WRITE-BACK-ADDRESS or R or W]");
  trace_number(words[0], "number of instructions");
  line.address = trace_number(words[1], "address");
  if (words.size() == 2) return line;
  if (find(kReadWrite, words[2]))
    line.write = is_write(kReadWrite, words[2], TraceFormat::cpu);
  else
    line.writeback = trace_number(words[2], "address");
  return line;
}

TraceLine timed(const TraceWords& words) {
  TraceLine line;
  expect(words, 3, 3, "ADDRESS READ CYCLE");
  line.address = trace_number(words[0], "address", true);
  line.write = is_write(kTimed, words[1], TraceFormat::timed);
  line.cycle = cycle_of(words[2]);
  return line;
}

TraceLine misc(const TraceWords& words) {
  TraceLine line;
  expect(words, 2, 3, "ADDRESS read [DATA]");
  line.address = trace_number(words[0], "address", true);
  line.write = is_write(kTimed, words[1], TraceFormat::misc);
  return line;
}

TraceLine stl(TraceWords words, TraceFormat format) {
  TraceLine line;
  if (words[0].back() == ':')
    words[0].remove_suffix(1);
  else if (words.size() > 1 && words[1] == ":")
    words.erase(words.begin() + 1);
  constexpr const char* kForm = "CYCLE: [(LENGTH)] read ADDRESS [DATA]";
  expect(words, 3, 5, kForm);
  line.cycle = cycle_of(words[0]);
  std::size_t at = 1;
  if (words[1].size() > 2 && words[1].front() == '(' && words[1].back() == ')') {
    line.bytes = cycle_of(words[1].substr(1, words[1].size() - 2), "length");
    if (line.bytes == 0) throw TraceComplaint{"length", "a length of 0 bytes"};
    at = 2;
  }
  line.write = is_write(kLower, words[at], format);
  expect(words, at + 2, at + 3, kForm);
  line.address = trace_number(words[at + 1], "address", true);
  return line;
}

bool ends_with(const std::string& text, std::string_view ending) {
  return text.size() >= ending.size() &&
         text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

}  // namespace

const char* to_string(TraceFormat format) {
  switch (format) {
    case TraceFormat::load_store:
      return "Ramulator LD/ST";
    case TraceFormat::read_write:
      return "Ramulator R/W";
    case TraceFormat::cpu:
      return "Ramulator CPU";
    case TraceFormat::timed:
      return "DRAMsim3/DRAMSim2";
    case TraceFormat::misc:
      return "DRAMSim2 misc";
    case TraceFormat::stl:
      return "DRAMSys .stl";
    case TraceFormat::rstl:
      return "DRAMSys .rstl";
  }
  return "?";
}

TraceWords split_words(std::string_view text, const char* separators) {
  TraceWords words;
  std::size_t start = text.find_first_not_of(separators);
  while (start != std::string_view::npos) {
    const std::size_t end = std::min(text.find_first_of(separators, start), text.size());
    words.push_back(text.substr(start, end - start));
    start = text.find_first_not_of(separators, end);
  }
  return words;
}

std::uint64_t trace_number(std::string_view word, const char* what, bool hexadecimal) {
  const bool prefixed = is_prefixed(word);
  const char* first = word.data() + (prefixed ? 2 : 0);
  const char* last = word.data() + word.size();
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(first, last, value, prefixed || hexadecimal ? 16 : 10);
  if (error == std::errc() && end == last) return value;
  throw TraceComplaint{"no number",
                       fmt::format("'{}' is no {}; allowed: a {} whole number of 64 bits", shown(word), what,
                                   hexadecimal ? "hexadecimal" : "decimal or 0x-hexadecimal")};
}

TraceFormat recognise_trace(const TraceWords& words, const std::string& name) {
  const std::string_view first = words[0], second = words.size() > 1 ? words[1] : std::string_view();
  const TraceFormat played = ends_with(name, ".rstl") ? TraceFormat::rstl : TraceFormat::stl;
  const bool lower = find(kLower, second) != nullptr;
  if (first.back() == ':' || second == ":") return played;
  if (is_decimal(first) && (lower || (!second.empty() && second[0] == '('))) return played;
  if (find(kLoadStore, first)) return TraceFormat::load_store;
  if (find(kReadWrite, first) || find(kReadWrite, second)) return TraceFormat::read_write;
  if (words.size() == 1 && is_hexadecimal(first)) return TraceFormat::read_write;
  if (find(kTimed, second)) {
    const std::string file = name.substr(name.find_last_of('/') + 1);
    return words.size() == 2 || (lower && file.rfind("misc", 0) == 0) ? TraceFormat::misc
                                                                      : TraceFormat::timed;
  }
  if (is_decimal(first) && (is_decimal(second) || is_prefixed(second))) return TraceFormat::cpu;
  const std::string word = shown(!second.empty() && is_hexadecimal(first) ? second : first);
  throw TraceComplaint{
      "unknown format",
      fmt::format(
          "'{}' is no command of a memory trace; allowed: 'LD ADDRESS', 'R ADDRESS', 'ADDRESS R', "
          "'ADDRESS READ|WRITE|P_MEM_RD|P_MEM_WR|... CYCLE', 'ADDRESS read|write', 'INSTRUCTIONS "
          "ADDRESS', 'CYCLE: read|write ADDRESS'{}",
          word, did_you_mean(word, {"LD", "ST", "READ", "WRITE", "read", "write", "P_MEM_RD", "P_MEM_WR"}))};
}

TraceLine parse_trace_line(TraceFormat format, TraceWords words) {
  switch (format) {
    case TraceFormat::load_store:
      return load_store(words);
    case TraceFormat::read_write:
      return read_write(words);
    case TraceFormat::cpu:
      return cpu(words);
    case TraceFormat::timed:
      return timed(words);
    case TraceFormat::misc:
      return misc(words);
    case TraceFormat::stl:
    case TraceFormat::rstl:
      break;
  }
  return stl(std::move(words), format);
}

}  // namespace edgenpu::hardware
