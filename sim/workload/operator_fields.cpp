#include "workload/operator_fields.h"

#include <charconv>
#include <utility>

namespace edgenpu::workload {

namespace {

template <std::size_t... I>
std::vector<OperatorBody> one_of_each(std::index_sequence<I...>) {
  return {OperatorBody(std::in_place_index<I>)...};
}

}  // namespace

int layer_of_name(const std::string& name) {
  const std::string prefix = "blk.";
  if (name.compare(0, prefix.size(), prefix) != 0) return -1;
  const char* end = name.data() + name.size();
  int layer = -1;
  const auto [stop, error] = std::from_chars(name.data() + prefix.size(), end, layer);
  return error == std::errc() && stop != end && *stop == '.' && layer >= 0 ? layer : -1;
}

const std::vector<OperatorBody>& empty_bodies() {
  static const std::vector<OperatorBody> bodies =
      one_of_each(std::make_index_sequence<std::variant_size_v<OperatorBody>>());
  return bodies;
}

}  // namespace edgenpu::workload
