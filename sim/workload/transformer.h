// One transformation after the other, applied to a model (transform.h). Inner part of transform(): kinds are
// checked and carried out here; errors name the position of the key.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "config/reader.h"
#include "workload/generate.h"

namespace edgenpu::workload {

// "attn_q" of "blk.7.attn_q.weight"; "" for what is no weight.
std::string stem(const Tensor& t);
bool ends_with(const std::string& text, const std::string& end);

class Transformer {
 public:
  explicit Transformer(StoredModel& stored) : s_(stored), m_(stored.model) {}
  void apply(const config::Value& item);

 private:
  using MapReader = config::MapReader;

  // The kinds.
  void precision(MapReader& r);
  void prune_rows(MapReader& r);
  void prune_columns(MapReader& r);
  void prune_heads(MapReader& r);
  void prune_layers(MapReader& r);
  void low_rank(MapReader& r);
  void sparsity(MapReader& r);
  void skip_layers(MapReader& r);
  void skip_neurons(MapReader& r);
  void window(MapReader& r);
  void drop_tokens(MapReader& r);

  // All layers, or those that `layers` lists.
  std::set<int> layers(MapReader& r, bool required = false);
  void add_range(MapReader& r, const std::string& part, std::set<int>& chosen);
  // Matrices that `tensors` and `layers` name; those outside of layers only where no layers are given.
  std::vector<StoredTensor*> tensors(MapReader& r);
  double share(MapReader& r, const char* key, bool zero = false);
  // What is left after a share of it has gone.
  double left(MapReader& r);
  void set_row(StoredTensor& t, std::int64_t row, MapReader& r, const char* key);
  void refuse_experts(MapReader& r, const char* what);
  void refuse_factors(MapReader& r);
  // Layers whose shapes depend on their number.
  void refuse_kinds_of_layers(MapReader& r, const char* what);
  LayerUse& use(int layer);
  StoredTensor& tensor_of(int layer, const std::string& name);
  void resize_heads(int layer, const LayerUse& before, const LayerUse& after);

  StoredModel& s_;
  Model& m_;
  Diagnostics out_;
};

}  // namespace edgenpu::workload
