// What the workload tests share: the models by name, and the reference tables as rows of named columns.
#pragma once

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "workload/model.h"
#include "workload/trace.h"

namespace edgenpu::workload {

inline const std::string kDataDir = EDGENPU_SOURCE_DIR;

inline Model model(const std::string& name) {
  return find_model(name, kDataDir);
}

inline const Operator& op(const Trace& trace, const std::string& name) {
  for (const Operator& o : trace.operators)
    if (o.name == name) return o;
  throw InternalError("no operator " + name);
}

using Row = std::map<std::string, std::string>;

// A comma within quotes does not separate.
inline std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      cells.emplace_back();
    else
      cells.back() += c;
  }
  return cells;
}

// tests/data/NAME: lines with '#' are comments, the first other one names the columns.
inline std::vector<Row> table(const std::string& name) {
  std::ifstream file(kDataDir + "/tests/data/" + name);
  std::vector<std::string> head;
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> cells = split(line);
    if (head.empty()) {
      head = cells;
      continue;
    }
    Row row;
    for (std::size_t i = 0; i < head.size(); ++i) row[head[i]] = cells.at(i);
    rows.push_back(row);
  }
  return rows;
}

inline std::int64_t integer(const Row& row, const std::string& column) {
  return std::stoll(row.at(column));
}

// The message of the error that `action` throws, "" if it throws none.
template <class Error, class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

}  // namespace edgenpu::workload
