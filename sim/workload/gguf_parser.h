// Reads the tables of a GGUF file into a GgufFile. Internal; use gguf.h.
#pragma once

#include <cstdint>
#include <vector>

#include "workload/gguf.h"
#include "workload/gguf_cursor.h"

namespace edgenpu::workload {

class GgufParser {
 public:
  explicit GgufParser(GgufFile& file) : file_(file), in_(file.data_, file.size_, file.source_) {}

  void parse() {
    read_header();
    for (std::uint64_t i = 0; i < keys_; ++i) read_pair(i);
    in_.set_context("");
    read_alignment();
    for (std::uint64_t i = 0; i < tensors_; ++i) read_tensor(i);
    in_.set_context("");
    place_tensors();
    refuse_overlaps();
  }

 private:
  // The smallest entries that a well-formed file can have: a one-letter key with a one-byte value; a
  // one-letter name with one dimension.
  static constexpr std::uint64_t kSmallestPair = 8 + 1 + 4 + 1;
  static constexpr std::uint64_t kSmallestTensor = 8 + 1 + 4 + 8 + 4 + 8;
  // Limits of the specification.
  static constexpr std::uint64_t kLongestKey = 65535;
  static constexpr std::uint64_t kLongestName = 64;
  static constexpr std::uint32_t kMostDimensions = 4;
  static constexpr int kDeepestArray = 4;

  void read_header();
  std::uint64_t read_count(const char* field, std::uint64_t smallest);
  void read_pair(std::uint64_t number);
  GgufValue read_value();
  GgufType read_type(const char* field);
  void skip_items(GgufType type, std::uint64_t count, int depth);
  void read_alignment();
  void read_tensor(std::uint64_t number);
  void read_dims(GgufTensor& tensor);
  Format read_format(const GgufTensor& tensor);
  void place_tensors();
  void refuse_overlaps() const;

  GgufFile& file_;
  GgufCursor in_;
  std::uint64_t keys_ = 0, tensors_ = 0;
  std::vector<std::uint64_t> offset_fields_;  // where each tensor's offset stands, for messages
};

}  // namespace edgenpu::workload
