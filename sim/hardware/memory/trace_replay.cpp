#include "hardware/memory/trace_replay.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fstream>
#include <map>

#include "base/files.h"

namespace edgenpu::hardware {

namespace {

constexpr std::int64_t kMostOfAKind = 3;
constexpr std::int64_t kMostOfALine = 64 << 10;
constexpr const char* kLfs = "version https://git-lfs.github.com/spec";
constexpr const char* kGzip = "\x1f\x8b";

struct LineError : InputError {
  LineError(const char* k, Position position, const std::string& message)
      : InputError(std::move(position), message), kind(k) {}
  const char* kind;
};

// A pipe could be read once only, and opening it might wait for ever.
std::unique_ptr<std::istream> opened(const std::string& path) {
  note_file(path);
  return std::make_unique<std::ifstream>(path, std::ios::binary);
}

}  // namespace

TraceSource::TraceSource(const std::string& path, const config::Memory& memory, bool fold)
    : TraceSource(opened(path), path, memory, fold) {}

TraceSource::TraceSource(std::unique_ptr<std::istream> text, std::string name, const config::Memory& memory,
                         bool fold)
    : path_(std::move(name)), memory_(memory), map_(memory), fold_(fold), file_(std::move(text)) {
  if (!*file_) throw InputError(Position{path_}, "cannot read the trace file");
}

void TraceSource::fail(const char* kind, const std::string& message) const {
  throw LineError(kind, Position{path_, static_cast<int>(line_), 1}, message);
}

bool TraceSource::next_line(std::string& text) {
  std::array<char, kMostOfALine> buffer;
  while (file_->getline(buffer.data(), buffer.size())) {
    ++line_;
    text.assign(buffer.data(), static_cast<std::size_t>(file_->gcount()));
    if (line_ == 1 && text.rfind(kLfs, 0) == 0)
      fail("packed", "this is a Git LFS pointer, not the trace itself: fetch it with 'git lfs pull'");
    if (line_ == 1 && text.rfind(kGzip, 0) == 0)
      fail("packed", "this is a packed file, not the trace itself: unpack it with 'gunzip'");
    text.resize(std::min({text.size(), text.find('#'), text.find("//"), text.find('\0')}));
    if (text.find_first_not_of(" \t\r\v\f") != std::string::npos) return true;
  }
  ++line_;
  if (file_->bad()) throw InputError(Position{path_}, "cannot be read to its end");
  if (!file_->eof())
    throw InputError(Position{path_, static_cast<int>(line_), 1},
                     fmt::format("a line of more than {} characters: this is no memory trace", kMostOfALine));
  return false;
}

std::int64_t TraceSource::address_of_vector(std::string_view word) const {
  const TraceWords parts = split_words(word, ",");
  if (parts.size() != 6)
    fail("vector", fmt::format("'{}': an address vector is channel,rank,group,bank,row,column", word));
  std::array<std::int64_t, 6> v{};
  const std::array<std::int64_t, 6> limits = {memory_.channels,    memory_.ranks,
                                              memory_.bank_groups, memory_.banks_per_group,
                                              memory_.rows,        memory_.bursts_per_row()};
  for (std::size_t i = 0; i < 6; ++i) {
    const std::uint64_t n = trace_number(parts[i], "part of an address vector");
    if (n >= static_cast<std::uint64_t>(limits[i]))
      fail("vector",
           fmt::format("'{}': part {} is {}, but this memory has {} of them", word, i + 1, n, limits[i]));
    v[i] = static_cast<std::int64_t>(n);
  }
  const timing::DramAddress d{static_cast<std::int32_t>(v[1]), static_cast<std::int32_t>(v[2]),
                              static_cast<std::int32_t>(v[3]), v[4], v[5]};
  return map_.global(static_cast<int>(v[0]), map_.encode(d) * memory_.burst_bytes().count());
}

std::int64_t TraceSource::address(const TraceLine& line) {
  if (!line.vector.empty()) return address_of_vector(line.vector);
  const auto capacity = static_cast<std::uint64_t>(memory_.capacity.count());
  std::uint64_t a = line.address;
  const auto last = static_cast<std::uint64_t>(std::max<std::int64_t>(line.bytes, 1) - 1);
  if (last >= capacity)
    fail("length", fmt::format("a length of {} bytes; the memory has {}", line.bytes, capacity));
  const bool beyond = a >= capacity || last >= capacity - a;
  if (beyond && !fold_)
    fail("capacity", fmt::format("address {:#x} lies beyond the capacity of {:#x} bytes; --replay-fold takes "
                                 "addresses modulo the capacity",
                                 a, capacity));
  summary_.folded += beyond;
  return static_cast<std::int64_t>(a % capacity);
}

void TraceSource::parse(const std::string& text) {
  const TraceWords words = split_words(text);
  if (!known_) summary_.format = recognise_trace(words, path_);
  known_ = true;
  const TraceLine line = parse_trace_line(summary_.format, words);
  const bool relative = summary_.format == TraceFormat::rstl;
  rest_ = {address(line), line.write, line.cycle, line.bytes, relative};
  if (line.writeback) {
    TraceLine second;
    second.address = *line.writeback;
    writeback_ = address(second);
  }
  if (relative && line.cycle > kMostCycles - clock_)
    fail("time", fmt::format("the times add up to more than {} cycles", kMostCycles));
  if (relative) rest_.not_before += clock_;
  summary_.out_of_order += rest_.not_before < clock_;
  clock_ = rest_.not_before;
  more_ = true;
}

// The next piece of a line: what lies in one granule of a channel.
void TraceSource::take(TrafficRequest& request) {
  request = rest_;
  more_ = false;
  if (rest_.bytes > 0) {
    const std::int64_t granule = memory_.interleave.count();
    request.bytes = std::min(rest_.bytes, granule - rest_.address % granule);
    rest_.bytes -= request.bytes;
    rest_.address = (rest_.address + request.bytes) % memory_.capacity.count();
    more_ = rest_.bytes > 0;
  }
  if (!more_ && writeback_) {
    rest_.address = *writeback_;
    rest_.write = more_ = true;
    writeback_.reset();
  }
  ++summary_.requests;
}

bool TraceSource::next(TrafficRequest& request) {
  std::string text;
  if (!more_ && !next_line(text)) return false;
  try {
    if (!more_) parse(text);
  } catch (const TraceComplaint& complaint) {
    fail(complaint.kind, complaint.message);
  }
  take(request);
  return true;
}

TraceSummary check_trace(TraceSource& source) {
  std::vector<Diagnostic> found;
  std::map<std::string, std::pair<std::int64_t, Position>> kinds;  // further ones, and where they begin
  TrafficRequest request;
  for (;;) try {
      if (!source.next(request)) break;
    } catch (const LineError& error) {
      auto& [count, position] = kinds[error.kind];
      if (++count <= kMostOfAKind) found.push_back(error.diagnostics()[0]);
      position = count == kMostOfAKind + 1 ? error.diagnostics()[0].position : position;
      // A file of another kind is wrong on every line: one complaint will do.
      if (source.summary().requests == 0) break;
    }
  for (const auto& [kind, more] : kinds)
    if (more.first > kMostOfAKind)
      found.push_back(
          {more.second, fmt::format("and {} further lines with '{}'", more.first - kMostOfAKind, kind)});
  if (!found.empty()) throw InputError(found);
  if (source.summary().requests == 0)
    throw InputError(Position{source.path_, 1, 1}, "the trace has no requests");
  return source.summary();
}

TraceSummary check_trace(const std::string& path, const config::Memory& memory, bool fold) {
  TraceSource source(path, memory, fold);
  return check_trace(source);
}

}  // namespace edgenpu::hardware
