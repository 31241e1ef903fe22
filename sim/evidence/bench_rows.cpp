#include "evidence/bench_rows.h"

#include <algorithm>

#include "base/files.h"
#include "evidence/bench_forms.h"
#include "workload/gguf_cursor.h"

namespace edgenpu::evidence {

namespace {

using config::Value;
using Rows = std::vector<Value>;

std::vector<BenchLine> lines_of(const std::string& text) {
  std::vector<BenchLine> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back({at, static_cast<int>(lines.size()) + 1, bench_trimmed(text.substr(at, end - at))});
    at = end + 1;
  }
  return lines;
}

bool starts_with(const std::string& text, const char* prefix) {
  return text.rfind(prefix, 0) == 0;
}

// ---- json, jsonl

bool begins_list(const std::string& line) {
  if (!starts_with(line, "[")) return false;
  const std::string rest = bench_trimmed(line.substr(1));
  return rest.empty() || rest[0] == '{' || rest[0] == ']';
}

bool ends_list(const std::string& line) {
  if (line.empty() || line.back() != ']') return false;
  const std::string rest = bench_trimmed(line.substr(0, line.size() - 1));
  return rest.empty() || rest.back() == '}' || rest == "[";
}

// Positions stay: what is left out becomes blanks.
Rows json_rows(std::string text, const std::vector<BenchLine>& lines, std::size_t first,
               const std::string& path) {
  std::size_t end = text.size();
  for (std::size_t i = lines.size(); i-- > first;)
    if (ends_list(lines[i].text)) {
      end = text.find_last_of(']', i + 1 < lines.size() ? lines[i + 1].begin - 1 : text.size()) + 1;
      break;
    }
  for (std::size_t i = 0; i < text.size(); ++i)
    if ((i < lines[first].begin || i >= end) && text[i] != '\n') text[i] = ' ';
  const Value list = config::parse_text(text, path);
  if (!list.is_list()) throw InputError(Position{path, lines[first].number, 1}, "this is no list of tests");
  return list.items();
}

// The value as it stands `lines` further down.
Value moved(const Value& value, int lines) {
  const auto down = [&](Position p) {
    p.line += lines;
    return p;
  };
  if (value.is_map()) {
    Value map = Value::empty_map(down(value.position()));
    for (const Value::Entry& e : value.entries())
      map.set_at(e.key, down(e.key_position), moved(e.value, lines));
    return map;
  }
  if (value.is_list()) {
    Value list = Value::empty_list(down(value.position()));
    for (const Value& item : value.items()) list.push_back(moved(item, lines));
    return list;
  }
  Value scalar = Value::scalar(value.text(), down(value.position()));
  if (value.quoted()) scalar.mark_quoted();
  return scalar;
}

Rows jsonl_rows(const std::vector<BenchLine>& lines, std::size_t first, const std::string& path) {
  Rows rows;
  for (std::size_t i = first; i < lines.size(); ++i) {
    if (!starts_with(lines[i].text, "{")) continue;
    try {
      rows.push_back(moved(config::parse_text(lines[i].text, path), lines[i].number - 1));
    } catch (const InputError& e) {
      std::vector<Diagnostic> all = e.diagnostics();
      for (Diagnostic& d : all) d.position.line += lines[i].number - 1;
      throw InputError(std::move(all));
    }
  }
  return rows;
}

// ---- all

bool is_md_header(const std::string& line) {
  return starts_with(line, "|") && line.find(" test |") != std::string::npos &&
         line.find(" t/s |") != std::string::npos;
}

bool is_csv_header(const std::string& line) {
  return line.find("avg_ts") != std::string::npos && line.find(',') != std::string::npos &&
         line.find_first_of("{|(") == std::string::npos;
}

}  // namespace

std::string bench_trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<Value> read_bench_rows(const std::string& path) {
  std::string text = read_text(path);
  if (starts_with(text, "\xff\xfe") || starts_with(text, "\xfe\xff"))
    throw InputError(Position{path, 1, 1},
                     "this file is UTF-16 (as PowerShell's '>' writes); save it as UTF-8");
  if (starts_with(text, "\xef\xbb\xbf")) text.replace(0, 3, "   ");
  const std::vector<BenchLine> lines = lines_of(text);
  for (const BenchLine& line : lines)
    if (!workload::is_utf8(line.text))
      throw InputError(Position{path, line.number, 1}, "a line that is not UTF-8");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i].text;
    if (begins_list(line)) return json_rows(text, lines, i, path);
    if (starts_with(line, "{")) return jsonl_rows(lines, i, path);
    if (is_md_header(line)) return bench_md_rows(lines, i, path);
    if (starts_with(line, "CREATE TABLE") || starts_with(line, "INSERT INTO"))
      return bench_sql_rows(text, lines[i].begin, path);
    if (is_csv_header(line)) return bench_csv_rows(lines, i, path);
  }
  throw InputError(Position{path, 1, 1},
                   "no output of llama-bench is in this file; its forms are json, jsonl, csv, md and sql "
                   "(llama-bench -o FORM)");
}

}  // namespace edgenpu::evidence
