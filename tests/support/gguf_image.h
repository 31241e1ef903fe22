// Builds GGUF file images byte by byte, right or deliberately wrong.
#pragma once

#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

namespace edgenpu::test {

class GgufImage {
 public:
  template <class T>
  GgufImage& put(T value) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(&value);
    bytes_.insert(bytes_.end(), bytes, bytes + sizeof(T));
    return *this;
  }
  GgufImage& u32(std::uint32_t v) { return put(v); }
  GgufImage& u64(std::uint64_t v) { return put(v); }
  GgufImage& text(const std::string& s) {
    u64(s.size());
    bytes_.insert(bytes_.end(), s.begin(), s.end());
    return *this;
  }
  GgufImage& header(std::uint64_t tensors, std::uint64_t keys, std::uint32_t version = 3) {
    return u32(0x46554747).u32(version).u64(tensors).u64(keys);
  }
  GgufImage& pair_u32(const std::string& key, std::uint32_t value) { return text(key).u32(4).u32(value); }
  GgufImage& pair_f32(const std::string& key, float value) { return text(key).u32(6).put(value); }
  GgufImage& pair_text(const std::string& key, const std::string& value) {
    return text(key).u32(8).text(value);
  }
  GgufImage& tensor(const std::string& name, const std::vector<std::uint64_t>& dims, std::uint32_t type,
                    std::uint64_t offset) {
    text(name).u32(static_cast<std::uint32_t>(dims.size()));
    for (const std::uint64_t d : dims) u64(d);
    return u32(type).u64(offset);
  }
  GgufImage& align(std::size_t alignment = 32) {
    bytes_.resize((bytes_.size() + alignment - 1) / alignment * alignment);
    return *this;
  }
  GgufImage& zeros(std::size_t count) {
    bytes_.resize(bytes_.size() + count);
    return *this;
  }
  GgufImage& raw(const void* data, std::size_t count) {
    const auto* bytes = static_cast<const std::uint8_t*>(data);
    bytes_.insert(bytes_.end(), bytes, bytes + count);
    return *this;
  }

  std::vector<std::uint8_t>& bytes() { return bytes_; }
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }
  void write(const std::string& path) const {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes_.data()), static_cast<std::streamsize>(bytes_.size()));
  }

 private:
  std::vector<std::uint8_t> bytes_;
};

}  // namespace edgenpu::test
