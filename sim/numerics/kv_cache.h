// Keys and values of the tokens seen so far, a row a token, in a storage format: F32, F16, BF16, Q8_0 or
// Q4_0. Values are rounded when they are stored and every later step reads what is stored.
//
// Left out: eviction of rows that no window sees any more (a mask hides them; memory is not what is studied
// here). Errors: InputError if a head is not whole blocks of the format.
#pragma once

#include <cstdint>
#include <vector>

#include "numerics/architecture.h"
#include "numerics/block.h"
#include "numerics/rows.h"

namespace edgenpu::numerics {

// The stored rows of one KV head.
struct StoredHead {
  Format format;
  std::int64_t count, head_dim, stride;  // stride in bytes
  const std::uint8_t* first;

  const std::uint8_t* row(std::int64_t index) const { return first + index * stride; }
  void decode_row(std::int64_t index, float* out) const { decode(format, row(index), head_dim, out); }
  // [count][head_dim]
  Rows decode_all() const;
};

class KvCache {
 public:
  KvCache(const Architecture& architecture, Format format);

  Format format() const { return format_; }
  // Appends rows of kv_heads * head_dim values to a layer.
  void append(std::int64_t layer, const Rows& keys, const Rows& values);
  std::int64_t length(std::int64_t layer) const;
  StoredHead keys(std::int64_t layer, std::int64_t head) const;
  StoredHead values(std::int64_t layer, std::int64_t head) const;
  std::int64_t bytes() const;

 private:
  struct Store {
    std::vector<std::uint8_t> keys, values;
  };
  void append(const Rows& rows, std::vector<std::uint8_t>& bytes) const;
  StoredHead head(const std::vector<std::uint8_t>& bytes, std::int64_t head) const;

  Format format_;
  std::int64_t head_dim_, row_bytes_, head_bytes_;
  std::vector<Store> layers_;
};

}  // namespace edgenpu::numerics
