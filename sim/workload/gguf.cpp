#include "workload/gguf.h"

#include <cstring>
#include <fmt/format.h>

#include "base/error.h"
#include "workload/gguf_cursor.h"
#include "workload/mapped_file.h"

namespace edgenpu::workload {
namespace {

template <class T>
T load(const std::uint8_t* data, std::uint64_t offset, std::uint64_t index) {
  T value;
  std::memcpy(&value, data + offset + index * sizeof(T), sizeof(T));
  return value;
}

const char* name_of(GgufType type) {
  constexpr const char* kNames[] = {"u8",   "i8",   "u16",   "i16", "u32", "i32", "f32",
                                    "bool", "text", "array", "u64", "i64", "f64"};
  return kNames[static_cast<std::uint32_t>(type)];
}

std::string describe(const GgufValue& value) {
  if (!value.is_array) return name_of(value.type);
  return fmt::format("an array of {} {}", value.count, name_of(value.type));
}

}  // namespace

std::int64_t GgufTensor::elements() const {
  std::int64_t product = 1;
  for (const std::int64_t d : dims) product *= d;
  return product;
}

const GgufTensor* GgufFile::find_tensor(const std::string& name) const {
  const auto it = index_.find(name);
  return it == index_.end() ? nullptr : &tensors_[it->second];
}

const GgufValue* GgufFile::find(const std::string& key) const {
  const auto it = metadata_.find(key);
  return it == metadata_.end() ? nullptr : &it->second;
}

void GgufFile::refuse(const std::string& key, const std::string& message) const {
  const GgufValue* value = find(key);
  if (value == nullptr)
    throw InputError(Position{source_}, fmt::format("metadata {}: {}", in_quotes(key), message));
  throw InputError(Position{source_},
                   fmt::format("byte {}: metadata {}: {}", value->offset, in_quotes(key), message));
}

std::int64_t GgufFile::integer_at(const std::string& key, const GgufValue& v, std::uint64_t i) const {
  switch (v.type) {
    case GgufType::u8:
      return load<std::uint8_t>(data_, v.offset, i);
    case GgufType::i8:
      return load<std::int8_t>(data_, v.offset, i);
    case GgufType::u16:
      return load<std::uint16_t>(data_, v.offset, i);
    case GgufType::i16:
      return load<std::int16_t>(data_, v.offset, i);
    case GgufType::u32:
      return load<std::uint32_t>(data_, v.offset, i);
    case GgufType::i32:
      return load<std::int32_t>(data_, v.offset, i);
    case GgufType::i64:
      return load<std::int64_t>(data_, v.offset, i);
    case GgufType::boolean:
      return load<std::uint8_t>(data_, v.offset, i);
    case GgufType::u64: {
      const auto wide = load<std::uint64_t>(data_, v.offset, i);
      if (wide > static_cast<std::uint64_t>(INT64_MAX))
        refuse(key, fmt::format("{}; less than 2^63 is allowed", wide));
      return static_cast<std::int64_t>(wide);
    }
    default:
      refuse(key, fmt::format("{}; a whole number is expected", describe(v)));
  }
}

double GgufFile::real_at(const std::string& key, const GgufValue& v, std::uint64_t i) const {
  if (v.type == GgufType::f32) return load<float>(data_, v.offset, i);
  if (v.type == GgufType::f64) return load<double>(data_, v.offset, i);
  if (v.type == GgufType::text || v.type == GgufType::array || v.type == GgufType::boolean)
    refuse(key, fmt::format("{}; a number is expected", describe(v)));
  return static_cast<double>(integer_at(key, v, i));
}

std::optional<std::string> GgufFile::text(const std::string& key) const {
  const GgufValue* v = find(key);
  if (v == nullptr) return std::nullopt;
  if (v->is_array || v->type != GgufType::text)
    refuse(key, fmt::format("{}; text is expected", describe(*v)));
  const auto length = load<std::uint64_t>(data_, v->offset, 0);
  return std::string(reinterpret_cast<const char*>(data_ + v->offset + 8), length);
}

std::optional<std::int64_t> GgufFile::integer(const std::string& key) const {
  const GgufValue* v = find(key);
  if (v == nullptr) return std::nullopt;
  if (v->is_array || v->type == GgufType::boolean)
    refuse(key, fmt::format("{}; a whole number is expected", describe(*v)));
  return integer_at(key, *v, 0);
}

std::optional<double> GgufFile::real(const std::string& key) const {
  const GgufValue* v = find(key);
  if (v == nullptr) return std::nullopt;
  if (v->is_array) refuse(key, fmt::format("{}; a number is expected", describe(*v)));
  return real_at(key, *v, 0);
}

std::optional<bool> GgufFile::boolean(const std::string& key) const {
  const GgufValue* v = find(key);
  if (v == nullptr) return std::nullopt;
  if (v->is_array || v->type != GgufType::boolean)
    refuse(key, fmt::format("{}; true or false is expected", describe(*v)));
  return load<std::uint8_t>(data_, v->offset, 0) != 0;
}

std::optional<std::vector<std::int64_t>> GgufFile::integers(const std::string& key) const {
  const GgufValue* v = find(key);
  if (v == nullptr) return std::nullopt;
  std::vector<std::int64_t> items;
  for (std::uint64_t i = 0; i < v->count; ++i) items.push_back(integer_at(key, *v, i));
  return items;
}

std::optional<std::vector<double>> GgufFile::reals(const std::string& key) const {
  const GgufValue* v = find(key);
  if (v == nullptr) return std::nullopt;
  std::vector<double> items;
  for (std::uint64_t i = 0; i < v->count; ++i) items.push_back(real_at(key, *v, i));
  return items;
}

std::optional<std::uint64_t> GgufFile::array_length(const std::string& key) const {
  const GgufValue* v = find(key);
  if (v == nullptr) return std::nullopt;
  if (!v->is_array) refuse(key, fmt::format("{}; an array is expected", describe(*v)));
  return v->count;
}

}  // namespace edgenpu::workload
