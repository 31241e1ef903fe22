#include "evidence/step_cache.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <vector>

#include "base/error.h"

namespace edgenpu::evidence {

namespace {

std::string on_one_line(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return text;
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::size_t from = 0;
  for (std::size_t tab = 0; (tab = line.find('\t', from)) != std::string::npos; from = tab + 1)
    cells.push_back(line.substr(from, tab - from));
  cells.push_back(line.substr(from));
  return cells;
}

bool is_key(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

constexpr std::size_t kCells = 9, kOldCells = 8;

bool read_figures(const std::vector<std::string>& cells, StepFigures& f) {
  const std::array<double*, 5> numbers = {&f.tokens_per_s, &f.total_s, &f.J_per_token, &f.roof_tokens_per_s,
                                          &f.cpu_s};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const char* end = cells[i].data() + cells[i].size();
    const auto [rest, error] = std::from_chars(cells[i].data(), end, *numbers[i]);
    if (error != std::errc() || rest != end || !std::isfinite(*numbers[i])) return false;
  }
  return true;
}

// Of a build that did not write the kind of a failure: its keys fit nothing here.
bool is_old_line(const std::string& line) {
  const std::vector<std::string> cells = cells_of(line);
  StepFigures ignored;
  return cells.size() == kOldCells && read_figures(cells, ignored);
}

[[noreturn]] void fail(const std::string& path, const char* what, int error) {
  throw InputError(Position{path}, what + std::error_code(error, std::generic_category()).message());
}

}  // namespace

// Five figures, the names, and of what failed the reason and its kind.
std::string to_line(const PointResult& r) {
  const StepFigures f = r.figures ? *r.figures : StepFigures();
  const WhyNot& why = r.figures.why();
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}", f.tokens_per_s, f.total_s, f.J_per_token,
                     f.roof_tokens_per_s, f.cpu_s, on_one_line(r.platform), on_one_line(r.runtime),
                     r.figures ? "" : on_one_line(why.text), r.figures ? "" : name_of(why.kind));
}

bool from_line(const std::string& line, PointResult& r) {
  const std::vector<std::string> cells = cells_of(line);
  if (cells.size() != kCells) return false;
  StepFigures f;
  if (!read_figures(cells, f)) return false;
  r.platform = cells[5];
  r.runtime = cells[6];
  if (cells[8].empty()) {
    r.figures = f;
    return cells[7].empty();
  }
  const std::optional<Failure> kind = failure_by_name(cells[8]);
  if (kind) r.figures = WhyNot{*kind, cells[7]};
  return kind.has_value();
}

std::map<std::string, PointResult> read_steps(const std::string& path) {
  std::map<std::string, PointResult> steps;
  if (path.empty()) return steps;
  std::error_code none;
  const auto status = std::filesystem::status(path, none);
  if (!std::filesystem::exists(status)) return steps;
  if (!std::filesystem::is_regular_file(status))
    throw InputError(Position{path}, "a file of finished steps is a regular file");
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(path, "cannot read this file: ", errno);
  bool first = true;
  for (std::string line; std::getline(file, line); first = false) {
    const std::string key = line.substr(0, line.find('\t'));
    PointResult r;
    const bool keyed = !file.eof() && is_key(key) && key.size() < line.size();
    const std::string rest = keyed ? line.substr(key.size() + 1) : "";
    const bool whole = keyed && from_line(rest, r);
    if (whole) steps[key] = r;
    // Steps are appended: not to a file that was something else. Its first line may have been cut off.
    if (first && !whole && !is_old_line(rest) && !(file.eof() && is_key(key)))
      throw InputError(Position{path, 1, 1}, "this is no file of finished steps");
  }
  return steps;
}

void append_step(const std::string& path, const std::string& key, const std::string& line) {
  if (path.empty()) return;
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) fail(path, "cannot write to this file: ", errno);
  struct stat before {};
  char last = '\n';
  if (::fstat(file, &before) == 0 && before.st_size > 0 && ::pread(file, &last, 1, before.st_size - 1) != 1)
    last = '\n';
  const std::string text = (last == '\n' ? "" : "\n") + key + '\t' + line + '\n';
  const ssize_t written = ::write(file, text.data(), text.size());
  const bool whole = written == static_cast<ssize_t>(text.size());
  const int error = written < 0 ? errno : ENOSPC;
  if (written > 0 && !whole)
    static_cast<void>(::ftruncate(file, before.st_size) == 0);  // else: skipped when read
  if (::close(file) != 0 || !whole) fail(path, "cannot write to this file: ", whole ? errno : error);
}

}  // namespace edgenpu::evidence
