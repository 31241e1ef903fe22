// The rows that the address map opens together: a chunk, which neighbouring bursts come to in turns.
//
// Of a burst's address the column bits and the bank bits below the lowest row bit choose within the chunk; steps
// through the bank bits name its banks in the order in which bursts come to them.
#pragma once

#include <cstdint>
#include <vector>

#include "timing/dram_address.h"

namespace edgenpu::hardware {

struct RowOpening {
  int bank;
  std::int64_t row, pre, act;  // cycles; -1 if not needed
  std::int64_t ready = 0;      // for column commands
};

class RunRows {
 public:
  // Over more rows the scheduler has more freedom than a closed form can tell.
  static constexpr std::int64_t kMostRows = 8;

  explicit RunRows(const timing::AddressMap& map);

  // At most kMostRows; otherwise nothing else is to be asked.
  bool few() const { return !steps_.empty(); }
  std::int64_t chunk_end(std::int64_t burst) const { return (burst | chunk_mask_) + 1; }
  // So many bursts in a row of a chunk come to all of its rows.
  std::int64_t period() const { return period_; }
  // The rows of bursts [begin, end) of one chunk, in the order in which the bursts come to them; returns their banks.
  std::uint64_t gather(std::int64_t begin, std::int64_t end, std::vector<RowOpening>& rows) const;

 private:
  struct Step {
    std::int64_t bits;  // of the burst address
    std::int32_t bank;  // what they add to the bank's number, by exclusive or
  };

  const timing::AddressMap& map_;
  std::int64_t chunk_mask_ = 0;  // bursts of a chunk, minus 1
  std::int64_t bank_mask_ = 0;   // of those, the bits that choose the bank
  std::int64_t period_ = 1;
  std::vector<Step> steps_;  // a power of two of them
};

}  // namespace edgenpu::hardware
