// Matrices in other formats, as two factors, or with weights left out.
#include <algorithm>
#include <fmt/format.h>

#include "base/rates.h"
#include "workload/transformer.h"

namespace edgenpu::workload {

using config::MapReader;

void Transformer::precision(MapReader& r) {
  const auto format = static_cast<Format>(r.choice("format", vocabulary::format_names()));
  for (StoredTensor* t : tensors(r)) {
    t->format = format;
    set_row(*t, t->tensor.row, r, "format");
  }
}

void Transformer::low_rank(MapReader& r) {
  const std::int64_t rank = r.integer("rank", {1, 1 << 17});
  std::set<std::string> names;
  for (const StoredTensor* t : tensors(r)) {
    if (t->tensor.matrices > 1)
      r.error("tensors", fmt::format("{} holds experts: their factors are not modelled", t->tensor.name));
    if (stem(t->tensor) == "token_embd")
      r.error("tensors", "the embedding table is looked up, not multiplied");
    if (t->tensor.name.find(".factor_") != std::string::npos)
      r.error("tensors", t->tensor.name + " is a factor already");
    if (stem(t->tensor).rfind("ffn_gate_inp", 0) == 0) continue;
    names.insert(t->tensor.name);
  }
  std::vector<StoredTensor> all;
  for (const StoredTensor& t : s_.tensors) {
    if (!names.count(t.tensor.name)) {
      all.push_back(t);
      continue;
    }
    const std::string base = t.tensor.name.substr(0, t.tensor.name.size() - std::string("weight").size());
    const std::int64_t inner =
        ceil_div(rank, std::int64_t{info(t.format).block_elements}) * info(t.format).block_elements;
    StoredTensor a = t, b = t;
    a.tensor.name = base + "factor_a.weight";
    a.tensor.rows = inner;
    b.tensor.name = base + "factor_b.weight";
    b.tensor.row = inner;
    all.push_back(a);
    all.push_back(b);
  }
  // A bias belongs to the second factor, which produces the result.
  for (StoredTensor& t : all)
    if (ends_with(t.tensor.name, ".bias") &&
        names.count(t.tensor.name.substr(0, t.tensor.name.size() - 4) + "weight"))
      t.tensor.name = t.tensor.name.substr(0, t.tensor.name.size() - 4) + "factor_b.bias";
  s_.tensors = std::move(all);
}

void Transformer::sparsity(MapReader& r) {
  const double density = share(r, "density");
  const std::int64_t bits = r.integer("index_bits", {0, 32});
  for (StoredTensor* t : tensors(r)) {
    if (stem(t->tensor) == "token_embd" && r.value().find("tensors")->text() == "token_embd")
      r.error("tensors", "the embedding table is looked up, not multiplied");
    // Tables that are looked up and routers stay dense.
    if (stem(t->tensor) == "token_embd" || stem(t->tensor).rfind("ffn_gate_inp", 0) == 0) continue;
    t->density = density;
    t->index_bits = bits;
  }
}

}  // namespace edgenpu::workload
