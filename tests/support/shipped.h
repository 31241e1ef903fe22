// Where the shipped hardware descriptions lie: in the folder of their kind, which is their name's first word.
#pragma once

#include <string>

namespace edgenpu::test {

// "generic-npu", "cpu-rk3588" or "system/two-npus"; the ending may be there.
inline std::string hardware_file(std::string name) {
  const std::string ending = ".yaml", generic = "generic-";
  if (name.size() < ending.size() || name.compare(name.size() - ending.size(), ending.size(), ending) != 0)
    name += ending;
  const std::string plain = name.rfind(generic, 0) == 0 ? name.substr(generic.size()) : name;
  const std::string folder = name.find('/') == std::string::npos ? plain.substr(0, 3) + "/" : "";
  return std::string(EDGENPU_SOURCE_DIR) + "/hw_configs/" + folder + name;
}

}  // namespace edgenpu::test
