#include "workload/import_topology.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <map>

#include "base/files.h"
#include "base/rates.h"
#include "base/suggest.h"
#include "workload/gguf_cursor.h"
#include "workload/topology_table.h"

namespace edgenpu::workload {
namespace {

// Of any number in a topology: sums of three fit 64 bits. What products may reach is checked apart.
constexpr std::int64_t kMost = std::int64_t{1} << 60;

// More than any product may have where it leaves 64 bits (its magnitude is refused then).
std::int64_t times(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::int64_t>::max() : product;
}

struct Sparsity {
  std::int64_t kept = 1, of = 1;
};

class TopologyReader {
 public:
  TopologyReader(const std::string& source, Format format) : source_(source), format_(format) {}

  Trace read(const std::string& text) {
    const std::vector<TopologyLine> lines = topology_lines(text, source_);
    if (lines.empty())
      throw InputError(Position{source_, 1, 1}, "no header; " + std::string(kTopologyHeaders));
    header_ = topology_header(lines[0]);
    for (std::size_t i = 1; i < lines.size(); ++i) read_layer(lines[i]);
    if (lines.size() == 1) out_.add({source_, 1, 1}, "no layers below the header");
    out_.throw_if_any();
    return finish();
  }

 private:
  void read_layer(TopologyLine line) {
    drop_comment(line);
    if (line.cells.size() < header_.fixed) {
      out_.add(line.cells[0].position,
               fmt::format("{} cells; {} are needed", line.cells.size(), header_.fixed));
      return;
    }
    std::vector<std::int64_t> n;
    for (std::size_t i = 1; i < header_.fixed; ++i) n.push_back(number(line.cells[i]));
    stride_width_ = n.back();
    sparsity_ = {};
    batch_ = 1;
    for (std::size_t i = header_.fixed; i < line.cells.size(); ++i)
      read_further(line.cells[i], i - header_.fixed);
    if (std::find(n.begin(), n.end(), 0) != n.end() || stride_width_ == 0 || batch_ == 0) return;  // said
    MatMul product{n[0], n[1], n[2], format_, Bytes(0)};
    if (!header_.gemm) product = convolution(line.cells, n);
    product.m = times(product.m, batch_);
    add(line.cells[0], product);
  }

  // Words after the last comma of a line, beyond its columns; SCALE-Sim drops them. A number there may be a
  // column that somebody forgot to name.
  void drop_comment(TopologyLine& line) const {
    if (!line.open || line.cells.size() <= header_.fixed) return;
    const std::string& last = line.cells.back().text;
    const bool named = line.cells.size() - header_.fixed <= header_.further.size();
    const bool digit = last.find_first_of("0123456789") == 0;
    if (last[0] == '#' || (!named && !digit)) line.cells.pop_back();
  }

  void read_further(const TopologyCell& cell, std::size_t column) {
    if (cell.text.empty()) return;
    const bool known = column < header_.further.size();
    TopologyColumn kind = known ? header_.further[column] : TopologyColumn::unknown;
    // SCALE-Sim takes the first cell beyond for a sparsity, whatever the header says.
    if (column == 0 && !known && cell.text.find(':') != std::string::npos) kind = TopologyColumn::sparsity;
    switch (kind) {
      case TopologyColumn::stride_width:
        stride_width_ = number(cell);
        break;
      case TopologyColumn::batch:
        batch_ = number(cell);
        break;
      case TopologyColumn::sparsity:
        read_sparsity(cell);
        break;
      case TopologyColumn::unknown:
        out_.add(cell.position,
                 fmt::format("{} in column {}{}; after {} columns come 'Sparsity', 'Batch size'{}",
                             workload::in_quotes(cell.text), header_.fixed + column + 1,
                             known ? ", " + workload::in_quotes(header_.names[header_.fixed + column])
                                   : ", which the header does not name",
                             header_.fixed, header_.gemm ? "" : " or 'Stride width'"));
        break;
    }
  }

  void read_sparsity(const TopologyCell& cell) {
    const std::size_t colon = cell.text.find(':');
    const char* text = cell.text.data();
    Sparsity s{0, 0};
    if (colon != std::string::npos && std::from_chars(text, text + colon, s.kept).ptr == text + colon &&
        std::from_chars(text + colon + 1, text + cell.text.size(), s.of).ptr == text + cell.text.size() &&
        s.kept >= 1 && s.kept <= s.of && s.of <= kMostOf)
      sparsity_ = s;
    else
      out_.add(cell.position, fmt::format("sparsity {}; 'N:M' is allowed, N of each M weights of a row are "
                                          "kept, 1 <= N <= M <= {}",
                                          workload::in_quotes(cell.text), kMostOf));
  }

  // 0, and an error, if the cell is no whole number in range.
  std::int64_t number(const TopologyCell& cell) {
    std::int64_t value = 0;
    const char* end = cell.text.data() + cell.text.size();
    const auto [stop, error] = std::from_chars(cell.text.data(), end, value);
    if (error == std::errc() && stop == end && !cell.text.empty() && value >= 1 && value <= kMost)
      return value;
    out_.add(cell.position, fmt::format("{}; a whole number from 1 to {} is allowed",
                                        workload::in_quotes(cell.text), kMost));
    return 0;
  }

  MatMul convolution(const std::vector<TopologyCell>& cells, const std::vector<std::int64_t>& n) {
    for (const int i : {0, 1})
      if (n[static_cast<std::size_t>(i + 2)] > n[static_cast<std::size_t>(i)])
        out_.add(cells[static_cast<std::size_t>(i + 3)].position,
                 fmt::format("a filter of {} on an input of {}", n[static_cast<std::size_t>(i + 2)],
                             n[static_cast<std::size_t>(i)]));
    const std::int64_t height = std::max<std::int64_t>(1, ceil_div(n[0] - n[2] + n[6], n[6]));
    const std::int64_t width =
        std::max<std::int64_t>(1, ceil_div(n[1] - n[3] + stride_width_, stride_width_));
    const std::int64_t window = times(n[2], n[3]);
    MatMul product{times(height, width), n[5], times(window, n[4]), format_, Bytes(0)};
    if (cells[0].text.find("DP") == std::string::npos) return product;
    product.k = window;  // depthwise: a product of its own for each channel
    product.copies = n[4];
    return product;
  }

  // N of each M products of a row are left, and the last N of a rest.
  void thin_out(MatMul& product) const {
    if (sparsity_.kept == sparsity_.of) return;
    product.inputs = product.k;
    product.k =
        product.k / sparsity_.of * sparsity_.kept + std::min(product.k % sparsity_.of, sparsity_.kept);
    while (std::int64_t{1} << product.index_bits < sparsity_.of) ++product.index_bits;
  }

  void add(const TopologyCell& name, MatMul product) {
    thin_out(product);
    const bool was_below = total_ <= kMaxMagnitude;
    total_ += magnitude(product);
    if (total_ > kMaxMagnitude) {
      if (was_below)
        out_.add(name.position,
                 fmt::format("{}: the products up to here leave 64 bits", workload::in_quotes(name.text)));
      return;
    }
    if (product.k % info(format_).block_elements != 0) {
      out_.add(name.position,
               fmt::format("{}: rows of {} weights are not whole blocks of {} ({}); F16 and W8 fit any row",
                           workload::in_quotes(name.text), product.k, info(format_).name,
                           info(format_).block_elements));
      return;
    }
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
    trace_.resident_weights = weights_read(trace_);
    return std::move(trace_);
  }

  static constexpr std::int64_t kMostOf = 1 << 16;

  std::string source_;
  Format format_;
  Diagnostics out_;
  Trace trace_;
  TopologyHeader header_;
  std::int64_t stride_width_ = 1, batch_ = 1;  // of the line being read
  Sparsity sparsity_;
  double total_ = 0;
  std::map<std::string, int> names_;
};

}  // namespace

Trace parse_topology(const std::string& text, const std::string& source_name, Format format) {
  return TopologyReader(source_name, format).read(text);
}

Trace import_topology(const std::string& path, Format format) {
  return parse_topology(read_text(path), path, format);
}

}  // namespace edgenpu::workload
