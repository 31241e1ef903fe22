#include "numerics/kv_cache.h"

#include <fmt/format.h>

#include "base/error.h"
#include "numerics/quantise.h"

namespace edgenpu::numerics {

Rows StoredHead::decode_all() const {
  Rows all(count, head_dim);
  for (std::int64_t i = 0; i < count; ++i) decode_row(i, all.row(i).data());
  return all;
}

KvCache::KvCache(const Architecture& a, Format format) : format_(format), head_dim_(a.head_dim) {
  const vocabulary::FormatInfo& f = vocabulary::info(format);
  if (!can_quantise(format) || f.block_elements > 32)
    throw InputError(
        Position{"--kv"},
        fmt::format("{} is not a format of the KV cache; F32, F16, BF16, Q8_0 and Q4_0 are", f.name));
  if (head_dim_ % f.block_elements != 0)
    throw InputError(Position{"--kv"},
                     fmt::format("heads of {} elements are not whole blocks of {} ({} elements)", head_dim_,
                                 f.name, f.block_elements));
  head_bytes_ = vocabulary::row_bytes(format, head_dim_).count();
  row_bytes_ = head_bytes_ * a.kv_heads;
  layers_.resize(static_cast<std::size_t>(a.layers));
}

void KvCache::append(const Rows& rows, std::vector<std::uint8_t>& bytes) const {
  const std::size_t at = bytes.size();
  bytes.resize(at + static_cast<std::size_t>(row_bytes_ * rows.rows()));
  quantise(format_, rows.data(), rows.size(), bytes.data() + at);
}

void KvCache::append(std::int64_t layer, const Rows& keys, const Rows& values) {
  Store& store = layers_.at(static_cast<std::size_t>(layer));
  append(keys, store.keys);
  append(values, store.values);
}

std::int64_t KvCache::length(std::int64_t layer) const {
  return static_cast<std::int64_t>(layers_.at(static_cast<std::size_t>(layer)).keys.size()) / row_bytes_;
}

StoredHead KvCache::head(const std::vector<std::uint8_t>& bytes, std::int64_t head) const {
  return {format_, static_cast<std::int64_t>(bytes.size()) / row_bytes_, head_dim_, row_bytes_,
          bytes.data() + head * head_bytes_};
}

StoredHead KvCache::keys(std::int64_t layer, std::int64_t head) const {
  return this->head(layers_.at(static_cast<std::size_t>(layer)).keys, head);
}

StoredHead KvCache::values(std::int64_t layer, std::int64_t head) const {
  return this->head(layers_.at(static_cast<std::size_t>(layer)).values, head);
}

std::int64_t KvCache::bytes() const {
  std::int64_t total = 0;
  for (const Store& s : layers_) total += static_cast<std::int64_t>(s.keys.size() + s.values.size());
  return total;
}

}  // namespace edgenpu::numerics
