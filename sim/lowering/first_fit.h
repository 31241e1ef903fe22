// Places of values in a memory, one after the other in the order in which they are made; the place of a value
// that nobody reads any more is taken over by a later one.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace edgenpu::lowering {

class FirstFit {
 public:
  // size: bytes of the memory; alignment of every place.
  FirstFit(std::int64_t size, std::int64_t alignment) : size_(size), alignment_(alignment) {}

  struct Found {
    std::int64_t address;
    std::vector<int> displaced;  // values that lay there last
  };
  // A place for `value` of `bytes`, made at time `made` and read until time `read`; nothing if there is no
  // gap. Calls come in the order of `made`.
  std::optional<Found> place(int value, std::int64_t bytes, int made, int read);
  std::int64_t peak() const { return peak_; }

 private:
  struct Span {
    std::int64_t begin, end;
    int value, read;
  };
  std::optional<std::int64_t> gap(std::int64_t bytes) const;

  std::int64_t size_, alignment_, peak_ = 0;
  std::vector<Span> live_;  // by address
  std::vector<Span> last_;  // who lay where last: spans do not overlap
};

}  // namespace edgenpu::lowering
