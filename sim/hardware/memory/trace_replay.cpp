#include "hardware/memory/trace_replay.h"

#include <charconv>
#include <fmt/format.h>

#include "base/suggest.h"

namespace edgenpu::hardware {

namespace {

constexpr std::size_t kMostErrors = 20;
constexpr const char* kLfs = "version https://git-lfs.github.com/spec";

std::vector<std::string> split(const std::string& text, const char* separators) {
  std::vector<std::string> words;
  std::size_t start = text.find_first_not_of(separators);
  while (start != std::string::npos) {
    const std::size_t end = text.find_first_of(separators, start);
    words.push_back(text.substr(start, end - start));
    start = text.find_first_not_of(separators, end);
  }
  return words;
}

bool is_number(const std::string& word) {
  return !word.empty() && word.find_first_not_of("0123456789abcdefABCDEFxX,") == std::string::npos &&
         word[0] >= '0' && word[0] <= '9';
}

// -1: neither.
int is_write(const std::string& word, const char* read, const char* write) {
  return word == read ? 0 : word == write ? 1 : -1;
}

}  // namespace

const char* to_string(TraceFormat format) {
  switch (format) {
    case TraceFormat::load_store:
      return "Ramulator LD/ST";
    case TraceFormat::read_write:
      return "Ramulator R/W";
    case TraceFormat::dramsim3:
      return "DRAMsim3";
    case TraceFormat::stl:
      return "DRAMSys .stl";
  }
  return "?";
}

TraceSource::TraceSource(std::string path, const config::Memory& memory)
    : path_(std::move(path)), memory_(memory), map_(memory), file_(path_) {
  if (!file_) throw InputError(Position{path_}, "cannot read the trace file");
}

void TraceSource::fail(const std::string& message) const {
  throw InputError(Position{path_, static_cast<int>(line_), 1}, message);
}

bool TraceSource::next_line(std::string& text) {
  while (std::getline(file_, text)) {
    ++line_;
    if (line_ == 1 && text.rfind(kLfs, 0) == 0)
      fail("this is a Git LFS pointer, not the trace itself: fetch it with 'git lfs pull'");
    if (const std::size_t c = text.find('#'); c != std::string::npos) text.resize(c);
    if (const std::size_t c = text.find("//"); c != std::string::npos) text.resize(c);
    if (text.find_first_not_of(" \t\r") != std::string::npos) return true;
  }
  if (file_.bad()) fail("the file cannot be read to its end");
  return false;
}

std::int64_t TraceSource::number(const std::string& word, const char* what) const {
  const bool hex = word.size() > 2 && word[0] == '0' && (word[1] == 'x' || word[1] == 'X');
  const char* first = word.data() + (hex ? 2 : 0);
  const char* last = word.data() + word.size();
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(first, last, value, hex ? 16 : 10);
  if (error != std::errc() || end != last || first == last)
    fail(fmt::format("'{}' is no {}; allowed: a decimal or 0x-hexadecimal whole number", word, what));
  return value;
}

std::int64_t TraceSource::address(const std::string& word) const {
  std::int64_t a = 0;
  if (word.find(',') != std::string::npos) {
    const std::vector<std::string> parts = split(word, ",");
    if (parts.size() != 6)
      fail(fmt::format("'{}': an address vector is channel,rank,group,bank,row,column", word));
    std::int64_t v[6];
    for (std::size_t i = 0; i < 6; ++i) v[i] = number(parts[i], "part of an address vector");
    const std::int64_t limits[6] = {memory_.channels,        memory_.ranks, memory_.bank_groups,
                                    memory_.banks_per_group, memory_.rows,  memory_.bursts_per_row()};
    for (std::size_t i = 0; i < 6; ++i)
      if (v[i] >= limits[i])
        fail(
            fmt::format("'{}': part {} is {}, but this memory has {} of them", word, i + 1, v[i], limits[i]));
    const timing::DramAddress d{static_cast<std::int32_t>(v[1]), static_cast<std::int32_t>(v[2]),
                                static_cast<std::int32_t>(v[3]), v[4], v[5]};
    a = map_.global(static_cast<int>(v[0]), map_.encode(d) * memory_.burst_bytes().count());
  } else {
    a = number(word, "address");
  }
  if (a < 0 || a >= memory_.capacity.count())
    fail(fmt::format("address {:#x} lies beyond the capacity of {:#x} bytes", a, memory_.capacity.count()));
  return a;
}

TraceFormat TraceSource::recognise(const std::vector<std::string>& words) const {
  if (words[0].back() == ':' || (words.size() > 1 && words[1] == ":")) return TraceFormat::stl;
  if (is_write(words[0], "LD", "ST") >= 0) return TraceFormat::load_store;
  if (is_write(words[0], "R", "W") >= 0) return TraceFormat::read_write;
  if (words.size() >= 2 && is_number(words[0])) {
    if (is_write(words[1], "R", "W") >= 0) return TraceFormat::read_write;
    if (is_write(words[1], "READ", "WRITE") >= 0) return TraceFormat::dramsim3;
  }
  const std::string& word = words.size() > 1 && is_number(words[0]) ? words[1] : words[0];
  fail(
      fmt::format("'{}' is no command of a memory trace; allowed: LD, ST, R, W ('R 0x40' or '0x40 R'), "
                  "'ADDRESS READ|WRITE "
                  "CYCLE', 'CYCLE: read|write ADDRESS'{}",
                  word, did_you_mean(word, {"LD", "ST", "READ", "WRITE"})));
}

void TraceSource::parse(const std::string& text, TrafficRequest& request) {
  std::vector<std::string> words = split(text, " \t\r");
  if (!known_) format_ = recognise(words);
  known_ = true;
  int write = -1;
  std::size_t at = 0;
  request.not_before = 0;
  request.bytes = 0;
  const auto need = [&](std::size_t n, const char* form) {
    if (words.size() < n) fail(fmt::format("'{}' is incomplete; expected: {}", words[0], form));
  };
  const auto unknown = [&](const std::string& word, const char* allowed) {
    fail(fmt::format("unknown command '{}' in a {} trace; allowed: {}", word, to_string(format_), allowed));
  };
  switch (format_) {
    case TraceFormat::load_store:
      if ((write = is_write(words[0], "LD", "ST")) < 0) unknown(words[0], "LD, ST");
      need(2, "LD ADDRESS");
      at = 1;
      break;
    case TraceFormat::read_write:
      need(2, "R ADDRESS");
      at = is_number(words[0]) ? 0 : 1;
      if ((write = is_write(words[1 - at], "R", "W")) < 0) unknown(words[1 - at], "R, W");
      break;
    case TraceFormat::dramsim3:
      need(3, "ADDRESS READ CYCLE");
      if ((write = is_write(words[1], "READ", "WRITE")) < 0) unknown(words[1], "READ, WRITE");
      request.not_before = number(words[2], "cycle");
      break;
    case TraceFormat::stl: {
      if (words[0].back() == ':')
        words[0].pop_back();
      else if (words.size() > 1 && words[1] == ":")
        words.erase(words.begin() + 1);
      need(3, "CYCLE: read ADDRESS");
      request.not_before = number(words[0], "cycle");
      if ((write = is_write(words[1], "read", "write")) < 0) unknown(words[1], "read, write");
      at = 2;
      if (words[2].front() == '(' && words[2].back() == ')') {
        request.bytes = number(words[2].substr(1, words[2].size() - 2), "length");
        if (request.bytes < 1 || request.bytes > memory_.interleave.count())
          fail(fmt::format("a length of {} bytes; allowed: 1 to {}", request.bytes,
                           memory_.interleave.count()));
        need(4, "CYCLE: read (LENGTH) ADDRESS");
        at = 3;
      }
      break;
    }
  }
  request.address = address(words[at]);
  request.write = write == 1;
  if (request.not_before < clock_)
    fail(fmt::format("cycle {} comes after cycle {}: time runs backwards", request.not_before, clock_));
  clock_ = request.not_before;
}

bool TraceSource::next(TrafficRequest& request) {
  std::string text;
  if (!next_line(text)) return false;
  parse(text, request);
  return true;
}

TraceSummary check_trace(const std::string& path, const config::Memory& memory) {
  TraceSource source(path, memory);
  TraceSummary summary;
  std::vector<Diagnostic> found;
  TrafficRequest request;
  for (;;) {
    try {
      if (!source.next(request)) break;
      ++summary.requests;
    } catch (const InputError& error) {
      for (const Diagnostic& d : error.diagnostics()) found.push_back(d);
      // A file of another kind is wrong on every line: one complaint will do.
      if (summary.requests == 0 || found.size() >= kMostErrors) break;
    }
  }
  if (!found.empty()) throw InputError(found);
  if (summary.requests == 0) throw InputError(Position{path, 1, 1}, "the trace has no requests");
  summary.format = source.format();
  return summary;
}

}  // namespace edgenpu::hardware
