// Physical pages of a process: an operating system hands them out in no order, so that streams that run side
// by side meet in the same DRAM banks now and then. A fixed bijection of page numbers stands for that: the
// same in every run. Within a page, and with page = 0 everywhere, addresses stay in order.
#pragma once

#include <cstdint>

#include "base/quantity.h"

namespace edgenpu::hardware {

class PageScatter {
 public:
  // Throws nothing: pages are scattered over the whole pages of `capacity`.
  PageScatter(Bytes page, Bytes capacity);

  std::int64_t physical(std::int64_t address) const;
  // Bytes from `address` to the end of its page.
  std::int64_t rest_of_page(std::int64_t address) const {
    return page_ == 0 ? INT64_MAX : page_ - address % page_;
  }

 private:
  std::uint64_t mix(std::uint64_t page) const;

  std::int64_t page_, pages_;
  int bits_ = 0;
};

}  // namespace edgenpu::hardware
