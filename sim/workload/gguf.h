// Reads GGUF files, versions 2 and 3, little-endian: metadata, tensor table and where each tensor's bytes
// lie. The file stays mapped; nothing but the two tables is copied, and no allocation is larger than a small
// multiple of the bytes that the file really has.
//
// The file is not trusted. Every length, count and offset is checked against the bytes that are left before
// it is used. Refused, with the byte offset and the field: version 1, big-endian files, counts that cannot
// fit, truncation, text that is not UTF-8, duplicate keys and names, booleans other than 0 and 1, arrays
// nested more than four deep, tensors without or with more than four dimensions, zero sizes, unknown formats,
// rows that are not whole blocks, offsets that are misaligned or past the end, and tensors that overlap. An
// alignment must be a power of two of at least 8.
//
// Errors: InputError, "FILE: byte N: FIELD: what was found, what is allowed".
// Source: the GGUF specification (ggml, docs/gguf.md).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/quantity.h"
#include "vocabulary/weight_format.h"

namespace edgenpu::workload {

using vocabulary::Format;
using vocabulary::FormatInfo;
using vocabulary::info;

class MappedFile;

// Numbered as in the file.
enum class GgufType : std::uint32_t {
  u8 = 0,
  i8,
  u16,
  i16,
  u32,
  i32,
  f32,
  boolean,
  text,
  array,
  u64,
  i64,
  f64
};

struct GgufValue {
  GgufType type = GgufType::u8;  // of the value, or of the items if is_array
  bool is_array = false;
  std::uint64_t count = 1;   // items of an array
  std::uint64_t offset = 0;  // of the first item in the file
};

struct GgufTensor {
  std::string name;
  std::vector<std::int64_t> dims;  // 1 to 4; dims[0] is the row length
  Format format = Format::F32;
  std::uint64_t offset = 0;  // in the file
  Bytes bytes{0};

  std::int64_t elements() const;
  std::int64_t rows() const { return elements() / dims.front(); }
};

class GgufFile {
 public:
  // Maps and reads the file.
  static GgufFile open(const std::string& path);
  // Reads a file image that the caller keeps alive; `source` names it in messages.
  static GgufFile view(const std::uint8_t* data, std::uint64_t size, std::string source);

  const std::string& source() const { return source_; }
  std::uint32_t version() const { return version_; }
  std::uint64_t alignment() const { return alignment_; }
  std::uint64_t size() const { return size_; }

  const std::map<std::string, GgufValue>& metadata() const { return metadata_; }
  const std::vector<GgufTensor>& tensors() const { return tensors_; }
  const GgufTensor* find_tensor(const std::string& name) const;
  const std::uint8_t* data(const GgufTensor& tensor) const { return data_ + tensor.offset; }

  // Metadata by key: nothing if the key is missing, InputError if the value is of another type or does not
  // fit.
  std::optional<std::string> text(const std::string& key) const;
  std::optional<std::int64_t> integer(const std::string& key) const;
  std::optional<double> real(const std::string& key) const;  // integers are taken too
  std::optional<bool> boolean(const std::string& key) const;
  // The items of an array of integers or booleans; a plain value counts as an array of one.
  std::optional<std::vector<std::int64_t>> integers(const std::string& key) const;
  std::optional<std::vector<double>> reals(const std::string& key) const;
  std::optional<std::uint64_t> array_length(const std::string& key) const;

  // Throws InputError that points at a key or at the file.
  [[noreturn]] void refuse(const std::string& key, const std::string& message) const;

 private:
  friend class GgufParser;

  const GgufValue* find(const std::string& key) const;
  std::int64_t integer_at(const std::string& key, const GgufValue& value, std::uint64_t index) const;
  double real_at(const std::string& key, const GgufValue& value, std::uint64_t index) const;

  std::shared_ptr<const MappedFile> mapping_;  // empty for a view
  std::string source_;
  const std::uint8_t* data_ = nullptr;
  std::uint64_t size_ = 0;
  std::uint32_t version_ = 0;
  std::uint64_t alignment_ = 32;
  std::map<std::string, GgufValue> metadata_;
  std::vector<GgufTensor> tensors_;
  std::unordered_map<std::string, std::size_t> index_;
};

}  // namespace edgenpu::workload
