// The csv and md forms of bench_rows.h.
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <map>
#include <sstream>

#include "evidence/bench_forms.h"

namespace edgenpu::evidence {

namespace {

using config::Value;
using Rows = std::vector<Value>;

struct Cell {
  std::string text;
  int column = 1;
};

// A quote within a quoted cell is written twice.
std::vector<Cell> csv_cells(const BenchLine& line, const std::string& path) {
  std::vector<Cell> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.text.size(); ++i) {
    const char c = line.text[i];
    if (c == '"' && quoted && i + 1 < line.text.size() && line.text[i + 1] == '"')
      cells.back().text += line.text[++i];
    else if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      cells.push_back({"", static_cast<int>(i) + 2});
    else
      cells.back().text += c;
  }
  if (quoted) throw InputError(Position{path, line.number, cells.back().column}, "this quote has no end");
  return cells;
}

std::vector<Cell> md_cells(const BenchLine& line) {
  std::vector<Cell> cells;
  for (std::size_t at = 1; at < line.text.size();) {
    const std::size_t end = std::min(line.text.find('|', at), line.text.size());
    cells.push_back({bench_trimmed(line.text.substr(at, end - at)), static_cast<int>(at) + 1});
    at = end + 1;
  }
  return cells;
}

Value row_of(const std::vector<Cell>& names, const std::vector<Cell>& cells, const BenchLine& line,
             const std::string& path) {
  const Position where{path, line.number, 1};
  if (cells.size() != names.size())
    throw InputError(where, fmt::format("{} cells; the header has {}", cells.size(), names.size()));
  Value row = Value::empty_map(where);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Position at{path, line.number, cells[i].column};
    if (row.find(names[i].text)) throw InputError(at, "the header names '" + names[i].text + "' twice");
    row.set_at(names[i].text, at, Value::scalar(cells[i].text, at));
  }
  return row;
}

// Columns of the table and the fields that they show.
const std::map<std::string, std::string> kColumns = {{"model", "model_type"},
                                                     {"size", "model_size"},
                                                     {"params", "model_n_params"},
                                                     {"backend", "backends"},
                                                     {"ngl", "n_gpu_layers"},
                                                     {"threads", "n_threads"},
                                                     {"fa", "flash_attn"},
                                                     {"sm", "split_mode"},
                                                     {"nkvo", "no_kv_offload"},
                                                     {"embd", "embeddings"},
                                                     {"dev", "devices"},
                                                     {"ts", "tensor_split"},
                                                     {"ot", "tensor_buft_overrides"},
                                                     {"lm", "load_mode"},
                                                     {"mmap", "use_mmap"},
                                                     {"dio", "use_direct_io"},
                                                     {"nopo", "no_op_offload"},
                                                     {"noh", "no_host"},
                                                     {"fitt", "fit_target"},
                                                     {"fitc", "fit_min_ctx"},
                                                     {"mg", "main_gpu"},
                                                     {"t/s", "avg_ts"}};

// "2.32 GiB" in bytes, "4.02 B" of parameters: a whole number as text; others as they are.
std::string in_units(const std::string& text) {
  const std::map<std::string, double> units = {{"KiB", 1024.0},
                                               {"MiB", 1048576.0},
                                               {"GiB", 1073741824.0},
                                               {"TiB", 1099511627776.0},
                                               {"K", 1e3},
                                               {"M", 1e6},
                                               {"B", 1e9},
                                               {"T", 1e12}};
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto unit = units.find(bench_trimmed(std::string(end, text.data() + text.size())));
  if (error != std::errc() || unit == units.end()) return text;
  const double product = number * unit->second;
  return product >= 0 && product < 9e18 ? fmt::format("{:.0f}", product) : text;
}

// "pp512+tg128 @ d4096": false if it is none.
bool read_test_name(const std::string& text, Value& row, const Position& at) {
  std::map<std::string, std::string> found = {{"n_prompt", "0"}, {"n_gen", "0"}, {"n_depth", "0"}};
  const std::map<std::string, const char*> prefixes = {{"pp", "n_prompt"}, {"tg", "n_gen"}, {"d", "n_depth"}};
  std::string word;
  std::istringstream words(text);
  for (std::string piece; words >> piece;) word += piece == "@" ? "+" : piece;
  std::istringstream parts(word);
  for (std::string part; std::getline(parts, part, '+');) {
    const auto digits = part.find_first_of("0123456789");
    const auto prefix = prefixes.find(part.substr(0, digits));
    if (digits == std::string::npos || prefix == prefixes.end()) return false;
    found[prefix->second] = part.substr(digits);
  }
  for (const auto& [key, value] : found) row.set_at(key, at, Value::scalar(value, at));
  return true;
}

Value from_columns(const Value& shown, const std::string& path) {
  Value row = Value::empty_map(shown.position());
  for (const Value::Entry& e : shown.entries()) {
    const Position& at = e.value.position();
    if (e.key == "test") {
      if (!read_test_name(e.value.text(), row, at))
        throw InputError(
            at, "the test '" + e.value.text() + "'; a test is named like pp512, tg128, pp512+tg128 @ d4096");
      continue;
    }
    const auto field = kColumns.find(e.key);
    std::string text = e.value.text();
    if (e.key == "t/s") text = text.substr(0, text.find(' '));
    if (e.key == "size" || e.key == "params") text = in_units(text);
    const std::string key = field == kColumns.end() ? e.key : field->second;
    if (row.find(key))
      throw InputError(Position{path, at.line, at.column}, "'" + key + "' stands here twice");
    row.set_at(key, at, Value::scalar(text, at));
  }
  return row;
}

bool is_rule(const std::string& line) {
  return line.find_first_not_of("|-: ") == std::string::npos;
}

}  // namespace

std::vector<Value> bench_csv_rows(const std::vector<BenchLine>& lines, std::size_t first,
                                  const std::string& path) {
  Rows rows;
  const std::vector<Cell> names = csv_cells(lines[first], path);
  for (std::size_t i = first + 1; i < lines.size(); ++i)
    if (!lines[i].text.empty() && lines[i].text != lines[first].text)
      rows.push_back(row_of(names, csv_cells(lines[i], path), lines[i], path));
  return rows;
}

std::vector<Value> bench_md_rows(const std::vector<BenchLine>& lines, std::size_t first,
                                 const std::string& path) {
  Rows rows;
  const std::vector<Cell> names = md_cells(lines[first]);
  for (std::size_t i = first + 1; i < lines.size(); ++i)
    if (lines[i].text.rfind('|', 0) == 0 && !is_rule(lines[i].text) && lines[i].text != lines[first].text)
      rows.push_back(from_columns(row_of(names, md_cells(lines[i]), lines[i], path), path));
  return rows;
}

}  // namespace edgenpu::evidence
