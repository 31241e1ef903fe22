// The forms of bench_rows.h, one function each. `first` is the line on which the form begins.
#pragma once

#include <string>
#include <vector>

#include "config/value.h"

namespace edgenpu::evidence {

struct BenchLine {
  std::size_t begin = 0;  // in the text
  int number = 1;
  std::string text;  // without blanks around it
};

std::string bench_trimmed(const std::string& text);

std::vector<config::Value> bench_csv_rows(const std::vector<BenchLine>& lines, std::size_t first,
                                          const std::string& path);
std::vector<config::Value> bench_md_rows(const std::vector<BenchLine>& lines, std::size_t first,
                                         const std::string& path);
// Of the text from `begin` on. Run in an empty database that takes tables and rows of constants and nothing
// else.
std::vector<config::Value> bench_sql_rows(const std::string& text, std::size_t begin,
                                          const std::string& path);

}  // namespace edgenpu::evidence
