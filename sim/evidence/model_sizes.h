// Which shape of models/ has a given architecture and number of parameters: how a GGUF file without a name is
// known. Shapes are read when the first is asked for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace edgenpu::evidence {

class ModelSizes {
 public:
  explicit ModelSizes(const std::string& data_dir) : data_dir_(data_dir) {}

  // The model of `architecture` (of GGUF, "qwen3") nearest to `parameters`, with or without an output head of
  // its own; "" if none is within half a percent.
  const std::string& nearest(const std::string& architecture, std::int64_t parameters);
  // Of this model; 0 if there is none.
  std::int64_t of(const std::string& name);

 private:
  struct Size {
    std::string name, architecture;
    std::int64_t parameters = 0;
  };
  void read();

  std::string data_dir_;
  std::vector<Size> all_;
};

}  // namespace edgenpu::evidence
