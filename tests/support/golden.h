// Reads the golden files of tests/data.
#pragma once

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace edgenpu::test {

inline std::string data_path(const std::string& name) {
  return std::string(EDGENPU_SOURCE_DIR) + "/tests/data/" + name;
}

// The whole file as values of T; throws if it is not there.
template <class T>
std::vector<T> read_values(const std::string& name) {
  std::ifstream file(data_path(name), std::ios::binary);
  if (!file) throw std::runtime_error("no test data " + name);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::vector<T> values(bytes.size() / sizeof(T));
  std::char_traits<char>::copy(reinterpret_cast<char*>(values.data()), bytes.data(),
                               values.size() * sizeof(T));
  return values;
}

// Rows of a CSV without quoting, the header left out.
inline std::vector<std::vector<std::string>> read_csv(const std::string& name) {
  std::ifstream file(data_path(name));
  if (!file) throw std::runtime_error("no test data " + name);
  std::vector<std::vector<std::string>> rows;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
  }
  return rows;
}

}  // namespace edgenpu::test
