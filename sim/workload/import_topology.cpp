#include "workload/import_topology.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <map>

#include "base/error.h"
#include "base/rates.h"
#include "base/suggest.h"
#include "workload/gguf_cursor.h"
#include "workload/magnitude.h"

namespace edgenpu::workload {
namespace {

struct Cell {
  std::string text;
  Position position;
};

std::string trimmed(const std::string& text) {
  const char* blank = " \t\r";
  const std::size_t first = text.find_first_not_of(blank);
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(blank) - first + 1);
}

std::vector<Cell> cells_of(const std::string& line, const std::string& source, int number) {
  std::vector<Cell> cells;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    const std::string raw = line.substr(begin, end - begin);
    const std::size_t lead = std::min(raw.find_first_not_of(" \t\r"), raw.size());
    cells.push_back({trimmed(raw), {source, number, static_cast<int>(begin + lead) + 1}});
    begin = end + 1;
  }
  if (cells.size() > 1 && cells.back().text.empty()) cells.pop_back();  // a trailing comma
  return cells;
}

// Lower case, letters and digits only: headers differ in blanks and underscores.
std::string plain(const std::string& text) {
  std::string out;
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)))
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

constexpr std::int64_t kMost = 1 << 20;  // of any number in a topology

class TopologyReader {
 public:
  TopologyReader(const std::string& source, Format format) : source_(source), format_(format) {}

  Trace read(const std::string& text) {
    std::size_t begin = text.compare(0, 3, "\xEF\xBB\xBF") == 0 ? 3 : 0;
    for (int number = 1; begin < text.size(); ++number) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      const std::string line = text.substr(begin, end - begin);
      begin = end + 1;
      if (trimmed(line).empty()) continue;
      const std::vector<Cell> cells = cells_of(line, source_, number);
      if (columns_ == 0)
        read_header(cells);
      else
        read_layer(cells);
    }
    if (columns_ == 0)
      out_.add({source_, 1, 1}, "no header; " + std::string(kHeaders));
    else if (trace_.operators.empty() && out_.empty())
      out_.add({source_, 1, 1}, "no layers below the header");
    out_.throw_if_any();
    return finish();
  }

 private:
  static constexpr const char* kHeaders =
      "a topology starts with 'Layer, M, N, K' or 'Layer name, IFMAP Height, IFMAP Width, Filter Height, "
      "Filter "
      "Width, Channels, Num Filter, Strides'";

  void read_header(const std::vector<Cell>& cells) {
    std::vector<std::string> names;
    for (const Cell& c : cells) names.push_back(plain(c.text));
    sparsity_ = !names.empty() && names.back() == "sparsity";
    if (sparsity_) names.pop_back();
    const bool named = !names.empty() && (names[0] == "layer" || names[0] == "layername");
    gemm_ = names.size() == 4 && names[1] == "m" && names[2] == "n" && names[3] == "k";
    const bool conv = names.size() >= 8 && names.size() <= 9 && names[1] == "ifmapheight" &&
                      names[2] == "ifmapwidth" && names[3] == "filterheight" && names[4] == "filterwidth" &&
                      names[5] == "channels" && (names[6] == "numfilter" || names[6] == "numfilters") &&
                      names[7].rfind("stride", 0) == 0;
    if (!named || !(gemm_ || conv)) {
      out_.add(cells[0].position, "unknown header; " + std::string(kHeaders));
      out_.throw_if_any();
    }
    columns_ = names.size();
  }

  void read_layer(std::vector<Cell> cells) {
    if (sparsity_ && cells.size() == columns_ + 1) {
      if (cells.back().text != "1:1")
        out_.add(cells.back().position,
                 fmt::format("sparsity {}; only '1:1' is imported (sparse weights: a transformation)",
                             workload::quoted(cells.back().text)));
      cells.pop_back();
    }
    if (cells.size() != columns_) {
      out_.add(cells[0].position, fmt::format("{} cells; the header has {} columns", cells.size(), columns_));
      return;
    }
    std::vector<std::int64_t> n;
    for (std::size_t i = 1; i < cells.size(); ++i) n.push_back(number(cells[i]));
    if (std::find(n.begin(), n.end(), 0) != n.end()) return;  // said already
    MatMul product{n[0], n[1], n[2], format_, Bytes(0)};
    if (!gemm_) product = convolution(cells, n);
    add(cells[0], product);
  }

  // 0, and an error, if the cell is no whole number in range.
  std::int64_t number(const Cell& cell) {
    std::int64_t value = 0;
    const char* end = cell.text.data() + cell.text.size();
    const auto [stop, error] = std::from_chars(cell.text.data(), end, value);
    if (error == std::errc() && stop == end && !cell.text.empty() && value >= 1 && value <= kMost)
      return value;
    out_.add(cell.position,
             fmt::format("{}; a whole number from 1 to {} is allowed", workload::quoted(cell.text), kMost));
    return 0;
  }

  MatMul convolution(const std::vector<Cell>& cells, const std::vector<std::int64_t>& n) {
    const std::int64_t stride_width = n.size() == 8 ? n[7] : n[6];
    for (const int i : {0, 1})
      if (n[static_cast<std::size_t>(i + 2)] > n[static_cast<std::size_t>(i)])
        out_.add(cells[static_cast<std::size_t>(i + 3)].position,
                 fmt::format("a filter of {} on an input of {}", n[static_cast<std::size_t>(i + 2)],
                             n[static_cast<std::size_t>(i)]));
    const std::int64_t height = std::max<std::int64_t>(1, ceil_div(n[0] - n[2] + n[6], n[6]));
    const std::int64_t width = std::max<std::int64_t>(1, ceil_div(n[1] - n[3] + stride_width, stride_width));
    return {height * width, n[5], n[2] * n[3] * n[4], format_, Bytes(0)};
  }

  void add(const Cell& name, const MatMul& product) {
    if (product.k % info(format_).block_elements != 0) {
      out_.add(name.position,
               fmt::format("{}: rows of {} weights are not whole blocks of {} ({}); F16 and W8 fit any row",
                           workload::quoted(name.text), product.k, info(format_).name,
                           info(format_).block_elements));
      return;
    }
    const bool was_below = total_ <= kMaxMagnitude;
    total_ += magnitude(product);
    if (was_below && total_ > kMaxMagnitude)
      out_.add(name.position,
               fmt::format("{}: the products up to here leave 64 bits", workload::quoted(name.text)));
    const int count = ++names_[name.text];
    Operator op;
    op.name = count == 1 ? name.text : fmt::format("{}#{}", name.text, count);
    if (op.name.empty()) op.name = fmt::format("layer{}", trace_.operators.size());
    if (!trace_.operators.empty()) op.needs = {static_cast<int>(trace_.operators.size()) - 1};
    op.body = product;
    trace_.operators.push_back(op);
  }

  Trace finish() {
    trace_.model = std::filesystem::path(source_).stem().string();
    trace_.quant = info(format_).name;
    trace_.resident_weights = requested_read(trace_);
    return std::move(trace_);
  }

  std::string source_;
  Format format_;
  Diagnostics out_;
  Trace trace_;
  std::size_t columns_ = 0;
  bool gemm_ = false, sparsity_ = false;
  double total_ = 0;
  std::map<std::string, int> names_;
};

}  // namespace

Trace parse_topology(const std::string& text, const std::string& source_name, Format format) {
  return TopologyReader(source_name, format).read(text);
}

Trace import_topology(const std::string& path, Format format) {
  std::ifstream file(path, std::ios::binary);
  if (std::filesystem::is_directory(path))
    throw InputError(Position{path}, "cannot be read: it is a directory");
  if (!file) throw InputError(Position{path}, "cannot be read");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return parse_topology(text, path, format);
}

}  // namespace edgenpu::workload
