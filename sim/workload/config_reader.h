// One language model of a config.json, or of the part of it that holds one; the inner part of
// import_config.h, which holds the contract.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "workload/config_keys.h"
#include "workload/config_types.h"
#include "workload/model.h"

namespace edgenpu::workload {

class ConfigReader {
 public:
  // `wrapper`: the file around a text part, whose word on tied embeddings goes first; or nullptr.
  ConfigReader(const config::Value& section, const ConfigType& type, const config::Value* wrapper);
  Model read();

 private:
  bool is(const char* model_type) const { return model_type == std::string(type_.model_type); }
  bool has(ConfigType::Feature f) const { return type_.has(f); }

  // config_reader.cpp
  void read_name();
  void read_sizes();
  void read_tie(const config::Value* wrapper);
  void read_heads();
  void read_biases();
  void read_norms();
  void read_feed_forward();
  void read_rope();
  void read_scaling(const config::Value& scaling);

  // config_other.cpp
  void read_other_keys();
  void refuse_flag(const char* key, const char* why);
  void refuse_other_biases();
  void read_keys_of_types();

  // config_layers.cpp
  void read_windows();
  void set_window(std::int64_t size, const std::vector<std::int64_t>& global_layers);
  std::vector<std::string> layer_types();
  bool read_layer_types(std::int64_t window);
  void read_global_heads();
  void read_short_conv();
  void read_experts();
  void read_hybrid();
  void read_shared_experts(MixtureOfExperts& moe);
  std::vector<std::int64_t> dense_layers();

  const config::Value* wrapper_;
  const ConfigType& type_;
  Diagnostics out_;
  ConfigKeys k_;
  Model m_;
  std::vector<std::string> layer_types_;
};

}  // namespace edgenpu::workload
