// Walks the bytes of a GGUF file; no step leaves the file.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace edgenpu::workload {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "values are copied as the little-endian file has them");

class GgufCursor {
 public:
  GgufCursor(const std::uint8_t* data, std::uint64_t size, const std::string& source)
      : data_(data), size_(size), source_(source) {}

  std::uint64_t at() const { return at_; }
  std::uint64_t left() const { return size_ - at_; }
  // What is being read, put before the field in messages: "key 3", "tensor 'x'".
  void set_context(std::string context) { context_ = std::move(context); }

  template <class T>
  T read(const char* field) {
    need(sizeof(T), field);
    T value;
    std::memcpy(&value, data_ + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }
  // A 64-bit length and as many bytes, which must be UTF-8.
  std::string_view text(const char* field);
  void skip(std::uint64_t bytes, const char* field) {
    need(bytes, field);
    at_ += bytes;
  }
  // Throws unless that many bytes are left.
  void need(std::uint64_t bytes, const char* field) const;
  [[noreturn]] void fail(std::uint64_t offset, const char* field, const std::string& message) const;

 private:
  const std::uint8_t* data_;
  std::uint64_t size_;
  std::uint64_t at_ = 0;
  const std::string& source_;
  std::string context_;
};

// In quotes, cut to a readable length, bytes outside printable ASCII as \xNN.
std::string in_quotes(std::string_view text);

// Well-formed UTF-8 as Unicode defines it: no overlong forms, surrogates or code points above U+10FFFF.
bool is_utf8(std::string_view text);

}  // namespace edgenpu::workload
