// Columns of text, aligned with spaces; no colours, no line drawing: they survive pipes and diffs.
#pragma once

#include <string>
#include <vector>

namespace edgenpu::report {

class TextTable {
 public:
  enum class Align { left, right };
  struct Column {
    std::string header;
    Align align = Align::right;
  };

  explicit TextTable(std::vector<Column> columns);

  // One cell a column.
  void add(std::vector<std::string> cells);
  // The header line (left out if every header is empty) and the rows, each indented by two spaces.
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace edgenpu::report
