#include "workload/topology_table.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

#include "workload/gguf_cursor.h"

namespace edgenpu::workload {

const char* const kTopologyHeaders =
    "a topology starts with 'Layer, M, N, K' or 'Layer name, IFMAP Height, IFMAP Width, Filter Height, "
    "Filter Width, Channels, Num Filter, Strides'";

namespace {

constexpr const char* kBlank = " \t\r";

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(kBlank);
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

TopologyLine cells_of(const std::string& line, char separator, const std::string& source, int number) {
  TopologyLine out;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(separator, begin), line.size());
    const std::string raw = line.substr(begin, end - begin);
    const std::size_t lead = std::min(raw.find_first_not_of(kBlank), raw.size());
    out.cells.push_back({trimmed(raw), {source, number, static_cast<int>(begin + lead) + 1}});
    begin = end + 1;
  }
  out.open = !out.cells.back().text.empty();
  while (!out.cells.empty() && out.cells.back().text.empty()) out.cells.pop_back();
  return out;
}

// Lower case, letters and digits only: headers differ in blanks, underscores and plurals.
std::string plain(const std::string& text) {
  std::string out;
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)))
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (out.size() > 1 && out.back() == 's') out.pop_back();
  return out;
}

using Names = std::vector<std::string>;
const Names kGemm = {"", "m", "n", "k"};
const Names kConvolution = {"",        "ifmapheight", "ifmapwidth", "filterheight", "filterwidth",
                            "channel", "numfilter",   "stride"};

TopologyColumn further_column(const std::string& name, bool gemm) {
  if (name == "sparsity") return TopologyColumn::sparsity;
  if (name == "batchsize" || name == "batch") return TopologyColumn::batch;
  if (!gemm && (name == "stridewidth" || name == "stridew")) return TopologyColumn::stride_width;
  return TopologyColumn::unknown;
}

// SCALE-Sim goes by position and never reads the header, so other names may stand there; but where a known
// name stands in another's place, one of the two is mistaken.
void check_order(const TopologyLine& line, const Names& names, const Names& expected) {
  for (std::size_t i = 1; i < expected.size(); ++i) {
    const auto own = std::find(expected.begin(), expected.end(), names[i]) - expected.begin();
    const auto place = static_cast<std::size_t>(own);
    if (place == 0 || place == i || place >= expected.size() || names[place] == names[i]) continue;
    throw InputError(line.cells[i].position,
                     fmt::format("column {} is named {}, where SCALE-Sim reads column {} of {}", i + 1,
                                 in_quotes(line.cells[i].text), i + 1, kTopologyHeaders));
  }
}

}  // namespace

std::vector<TopologyLine> topology_lines(const std::string& text, const std::string& source) {
  std::vector<TopologyLine> lines;
  char separator = '\0';
  std::size_t begin = text.compare(0, 3, "\xEF\xBB\xBF") == 0 ? 3 : 0;
  for (int number = 1; begin < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    if (line.find_first_not_of(",\t\r ") == std::string::npos) continue;
    // Tables copied from a spreadsheet have tabs.
    if (separator == '\0') separator = line.find(',') == std::string::npos ? '\t' : ',';
    lines.push_back(cells_of(line, separator, source, number));
  }
  return lines;
}

TopologyHeader topology_header(const TopologyLine& line) {
  Names names;
  bool numbers = line.cells.size() > 1;
  for (std::size_t i = 0; i < line.cells.size(); ++i) {
    names.push_back(plain(line.cells[i].text));
    numbers = numbers && (i == 0 || names[i].find_first_not_of("0123456789") == std::string::npos);
  }
  if (numbers)
    throw InputError(line.cells[0].position, "the first line is a layer, which SCALE-Sim skips as header; " +
                                                 std::string(kTopologyHeaders));
  TopologyHeader header;
  header.gemm = names.size() < kConvolution.size();
  const Names& expected = header.gemm ? kGemm : kConvolution;
  header.fixed = expected.size();
  const bool long_gemm = header.gemm && names.size() > kGemm.size() + 2;
  if (names.size() < header.fixed || long_gemm)
    throw InputError(line.cells[0].position, "unknown header; " + std::string(kTopologyHeaders));
  if (!header.gemm && names[7] == "strideheight") names[7] = "stride";
  check_order(line, names, expected);
  for (std::size_t i = header.fixed; i < names.size(); ++i)
    header.further.push_back(further_column(names[i], header.gemm));
  for (const TopologyCell& c : line.cells) header.names.push_back(c.text);
  return header;
}

}  // namespace edgenpu::workload
