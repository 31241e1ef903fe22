#include "workload/stored_tensors.h"

#include <cctype>
#include <fmt/format.h>
#include <map>

#include "base/error.h"
#include "workload/gguf_cursor.h"

namespace edgenpu::workload {

namespace {

constexpr std::int64_t kMostLayers = 512;

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// "blk.3.ffn_up.5.weight" is the fifth matrix of "blk.3.ffn_up_exps.weight"; "" for other tensors.
std::string stacked_name(const std::string& name) {
  for (const char* stem : {".ffn_gate.", ".ffn_up.", ".ffn_down."}) {
    const std::size_t at = name.find(stem);
    if (at == std::string::npos || !ends_with(name, ".weight")) continue;
    const std::size_t digits = at + std::string(stem).size();
    if (digits >= name.size() || !std::isdigit(static_cast<unsigned char>(name[digits]))) continue;
    return name.substr(0, digits - 1) + "_exps.weight";
  }
  return "";
}

void merge(StoredTensor& all, const StoredTensor& one, const std::string& name, const GgufFile& file) {
  if (all.tensor.row != one.tensor.row || all.tensor.rows != one.tensor.rows || all.format != one.format)
    throw InputError(Position{file.source()},
                     fmt::format("tensor {} differs in shape or type from the other experts of its layer",
                                 in_quotes(name)));
  ++all.tensor.matrices;
}

int layer_of(const std::string& name) {
  if (name.rfind("blk.", 0) != 0) return -1;
  std::int64_t layer = 0;
  std::size_t i = 4;
  for (; i < name.size() && std::isdigit(static_cast<unsigned char>(name[i])) && layer < kMostLayers; ++i)
    layer = layer * 10 + (name[i] - '0');
  return i > 4 ? static_cast<int>(layer) : -1;
}

}  // namespace

std::vector<StoredTensor> stored_tensors(const GgufFile& file) {
  std::vector<StoredTensor> all;
  std::map<std::string, std::size_t> merged;
  for (const GgufTensor& t : file.tensors()) {
    StoredTensor s;
    s.tensor.name = t.name;
    s.tensor.layer = layer_of(t.name);
    s.format = t.format;
    s.tensor.row = t.dims[0];
    s.tensor.rows = t.dims.size() > 1 ? t.dims[1] : 1;
    for (std::size_t d = 2; d < t.dims.size(); ++d) s.tensor.matrices *= t.dims[d];
    const std::string stacked = stacked_name(t.name);
    if (stacked.empty()) {
      all.push_back(s);
    } else if (const auto [it, fresh] = merged.try_emplace(stacked, all.size()); fresh) {
      s.tensor.name = stacked;
      all.push_back(s);
    } else {
      merge(all[it->second], s, t.name, file);
    }
  }
  return all;
}

}  // namespace edgenpu::workload
