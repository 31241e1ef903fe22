#include "timing/dram_address.h"

#include "base/error.h"

namespace edgenpu::timing {

using Kind = config::MappingField::Kind;

namespace {

int log2_of(std::int64_t n) {
  int bits = 0;
  while ((std::int64_t{1} << bits) < n) ++bits;
  return bits;
}

}  // namespace

AddressMap::AddressMap(const config::Memory& m)
    : channels_(m.channels),
      interleave_bits_(log2_of(m.interleave.count())),
      group_bits_(log2_of(m.bank_groups)),
      bank_bits_(log2_of(m.banks_per_group)),
      bursts_(m.channel_capacity() / m.burst_bytes()) {
  int from = 0;
  std::array<int, 5> placed{};
  // The mapping is written from the most significant field.
  for (auto field = m.mapping.rbegin(); field != m.mapping.rend(); ++field) {
    add(*field, from, placed);
    from += field->bits;
  }
}

void AddressMap::add(const config::MappingField& field, int from, std::array<int, 5>& placed) {
  int& to = placed[static_cast<std::size_t>(field.kind)];
  const std::int64_t mask = (std::int64_t{1} << field.bits) - 1;
  const auto append = [&](Pieces& pieces, int& count, int base) {
    if (count == kPieces) throw InternalError("too many fields in a memory mapping");
    pieces[static_cast<std::size_t>(count++)] = {from, base + to, mask};
  };
  switch (field.kind) {
    case Kind::row:
      append(row_, row_pieces_, 0);
      row_mask_ |= mask << from;
      break;
    case Kind::column:
      append(column_, column_pieces_, 0);
      column_mask_ |= mask << from;
      break;
    case Kind::bank:
      append(bank_, bank_pieces_, 0);
      xor_bank_ |= field.xor_row;
      break;
    case Kind::group:
      append(bank_, bank_pieces_, bank_bits_);
      group_mask_ |= mask << from;
      xor_group_ |= field.xor_row;
      break;
    case Kind::rank:
      append(bank_, bank_pieces_, bank_bits_ + group_bits_);
      break;
  }
  xor_row_ = xor_bank_ || xor_group_;
  to += field.bits;
}

std::int64_t AddressMap::row_bits_for_bank(std::int64_t row) const {
  std::int64_t id = 0;
  const std::int64_t groups = (std::int64_t{1} << group_bits_) - 1,
                     banks = (std::int64_t{1} << bank_bits_) - 1;
  if (xor_group_) id |= (row & groups) << bank_bits_;
  if (xor_bank_) id |= (xor_group_ ? row >> group_bits_ : row) & banks;
  return id;
}

DramAddress AddressMap::decode(std::int64_t burst) const {
  DramAddress a;
  const std::int32_t id = flat_bank(burst);
  a.bank = id & ((1 << bank_bits_) - 1);
  a.group = (id >> bank_bits_) & ((1 << group_bits_) - 1);
  a.rank = id >> (bank_bits_ + group_bits_);
  a.row = row(burst);
  for (int i = 0; i < column_pieces_; ++i) a.column |= column_[static_cast<std::size_t>(i)].pick(burst);
  return a;
}

std::int64_t AddressMap::encode(const DramAddress& a) const {
  std::int64_t id = ((std::int64_t{a.rank} << group_bits_ | a.group) << bank_bits_) | a.bank;
  if (xor_row_) id ^= row_bits_for_bank(a.row);
  std::int64_t burst = 0;
  for (int i = 0; i < row_pieces_; ++i) burst |= row_[static_cast<std::size_t>(i)].place(a.row);
  for (int i = 0; i < column_pieces_; ++i) burst |= column_[static_cast<std::size_t>(i)].place(a.column);
  for (int i = 0; i < bank_pieces_; ++i) burst |= bank_[static_cast<std::size_t>(i)].place(id);
  return burst;
}

}  // namespace edgenpu::timing
