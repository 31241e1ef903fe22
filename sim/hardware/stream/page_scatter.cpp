#include "hardware/stream/page_scatter.h"

namespace edgenpu::hardware {

PageScatter::PageScatter(Bytes page, Bytes capacity)
    : page_(page.count()), pages_(page.count() > 0 ? capacity / page : 0) {
  while ((std::int64_t{1} << bits_) < pages_) ++bits_;
}

// Each step is a bijection on `bits_` bits: XOR with the own upper half, multiplication with an odd number.
std::uint64_t PageScatter::mix(std::uint64_t x) const {
  const std::uint64_t mask = (std::uint64_t{1} << bits_) - 1;
  const int half = (bits_ + 1) / 2;
  for (const std::uint64_t odd : {0x9E3779B97F4A7C15ULL, 0xC2B2AE3D27D4EB4FULL}) {
    x ^= x >> half;
    x = x * odd & mask;
  }
  return x ^ x >> half;
}

std::int64_t PageScatter::physical(std::int64_t address) const {
  if (page_ == 0 || address / page_ >= pages_) return address;
  auto page = static_cast<std::uint64_t>(address / page_);
  // A power of two of pages may be more than there are: walk on until inside; ends, since mix is a
  // permutation.
  do page = mix(page);
  while (static_cast<std::int64_t>(page) >= pages_);
  return static_cast<std::int64_t>(page) * page_ + address % page_;
}

}  // namespace edgenpu::hardware
