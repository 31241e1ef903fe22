// Where an address lands: channel, then rank, bank group, bank, row and column on the channel. Pure
// arithmetic.
//
// channel = (address / interleave) % channels; the channel-local address is what is left, squeezed together.
// Above the burst, the local address is cut into the fields of the mapping. Both steps are bijections: the
// first by construction for any number of channels, the second because every bit of every field is placed
// once and a field XORed with the row can be XORed back.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "config/memory.h"

namespace edgenpu::timing {

struct DramAddress {
  std::int32_t rank = 0, group = 0, bank = 0;
  std::int64_t row = 0, column = 0;  // column in bursts
  friend bool operator==(const DramAddress& a, const DramAddress& b) {
    return a.rank == b.rank && a.group == b.group && a.bank == b.bank && a.row == b.row &&
           a.column == b.column;
  }
};

class AddressMap {
 public:
  explicit AddressMap(const config::Memory& memory);

  int channel_of(std::int64_t address) const {
    return static_cast<int>((address >> interleave_bits_) % channels_);
  }
  std::int64_t local(std::int64_t address) const {
    const std::int64_t granule = (address >> interleave_bits_) / channels_;
    return (granule << interleave_bits_) | (address & ((std::int64_t{1} << interleave_bits_) - 1));
  }
  std::int64_t global(int channel, std::int64_t local) const {
    const std::int64_t granule = (local >> interleave_bits_) * channels_ + channel;
    return (granule << interleave_bits_) | (local & ((std::int64_t{1} << interleave_bits_) - 1));
  }
  std::int64_t granule_bytes() const { return std::int64_t{1} << interleave_bits_; }

  // `burst` is a channel-local address in bursts.
  DramAddress decode(std::int64_t burst) const;
  std::int64_t encode(const DramAddress& address) const;

  // The bank's number on the channel: (rank x groups + group) x banks per group + bank.
  std::int32_t flat_bank(std::int64_t burst) const {
    std::int64_t id = 0;
    for (int i = 0; i < bank_pieces_; ++i) id |= bank_[i].pick(burst);
    if (xor_row_) id ^= row_bits_for_bank(row(burst));
    return static_cast<std::int32_t>(id);
  }
  std::int64_t row(std::int64_t burst) const {
    std::int64_t r = 0;
    for (int i = 0; i < row_pieces_; ++i) r |= row_[i].pick(burst);
    return r;
  }

  // Bits of the burst address that choose the column; stepping through them stays in one row.
  std::int64_t column_mask() const { return column_mask_; }
  std::int64_t row_mask() const { return row_mask_; }
  // Bits of the burst address that choose the bank group.
  std::int64_t group_mask() const { return group_mask_; }
  std::int64_t bursts() const { return bursts_; }  // on a channel

 private:
  // `bits` bits of the burst address from `from`, placed at `to`.
  struct Piece {
    int from = 0, to = 0;
    std::int64_t mask = 0;
    std::int64_t pick(std::int64_t burst) const { return ((burst >> from) & mask) << to; }
    std::int64_t place(std::int64_t value) const { return ((value >> to) & mask) << from; }
  };
  static constexpr int kPieces = config::kMostFields;
  using Pieces = std::array<Piece, kPieces>;

  std::int64_t row_bits_for_bank(std::int64_t row) const;
  void add(const config::MappingField& field, int from, std::array<int, 5>& placed);

  std::int64_t channels_;
  int interleave_bits_;
  Pieces row_{}, column_{}, bank_{};
  int row_pieces_ = 0, column_pieces_ = 0, bank_pieces_ = 0;
  bool xor_row_ = false;
  // The group takes the lowest row bits, the bank the next ones.
  bool xor_group_ = false, xor_bank_ = false;
  int group_bits_ = 0, bank_bits_ = 0;
  std::int64_t column_mask_ = 0, row_mask_ = 0, group_mask_ = 0;
  std::int64_t bursts_;
};

}  // namespace edgenpu::timing
