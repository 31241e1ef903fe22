#include "hardware/memory/run_rows.h"

#include <algorithm>

namespace edgenpu::hardware {

namespace {

std::int64_t lowest_bit(std::int64_t mask) {
  return mask & -mask;
}

std::int64_t all_bits_up_to_highest(std::int64_t mask) {
  std::int64_t bits = 0;
  while (bits < mask) bits = bits << 1 | 1;
  return bits;
}

}  // namespace

RunRows::RunRows(const timing::AddressMap& map) : map_(map) {
  const std::int64_t rows_and_above = lowest_bit(map.row_mask());
  chunk_mask_ = std::min(all_bits_up_to_highest(map.column_mask()), rows_and_above - 1);
  bank_mask_ = chunk_mask_ & ~map.column_mask();
  period_ = all_bits_up_to_highest(bank_mask_) + 1;
  if ((std::int64_t{1} << __builtin_popcountll(static_cast<std::uint64_t>(bank_mask_))) > kMostRows) return;
  std::int64_t bits = 0;
  do {
    steps_.push_back({bits, map.flat_bank(bits)});
    bits = (bits - bank_mask_) & bank_mask_;
  } while (bits != 0);
}

std::uint64_t RunRows::gather(std::int64_t begin, std::int64_t end, std::vector<RowOpening>& rows) const {
  rows.clear();
  std::uint64_t banks = 0;
  const auto add = [&](std::int32_t bank, std::int64_t row) {
    if (banks >> bank & 1) return;
    banks |= std::uint64_t{1} << bank;
    rows.push_back({bank, row, -1, -1, 0});
  };
  if (end - begin < period_) {
    for (std::int64_t burst = begin; burst < end; ++burst) add(map_.flat_bank(burst), map_.row(burst));
    return banks;
  }
  // Long enough to come to every bank of the chunk, each in the same row; step through the bits that choose
  // the bank.
  const std::int64_t row = map_.row(begin);
  const std::int32_t base = map_.flat_bank(begin & ~bank_mask_);
  std::size_t first = 0;
  while (steps_[first].bits != (begin & bank_mask_)) ++first;
  for (std::size_t i = 0; i < steps_.size(); ++i)
    add(base ^ steps_[(first + i) & (steps_.size() - 1)].bank, row);
  return banks;
}

}  // namespace edgenpu::hardware
