#include "lowering/first_fit.h"

#include <algorithm>

#include "base/rates.h"

namespace edgenpu::lowering {

std::optional<std::int64_t> FirstFit::gap(std::int64_t bytes) const {
  std::int64_t begin = 0;
  for (const Span& s : live_) {
    if (begin + bytes <= s.begin) return begin;
    begin = std::max(begin, ceil_div(s.end, alignment_) * alignment_);
  }
  return begin + bytes <= size_ ? std::optional(begin) : std::nullopt;
}

std::optional<FirstFit::Found> FirstFit::place(int value, std::int64_t bytes, int made, int read) {
  live_.erase(std::remove_if(live_.begin(), live_.end(), [&](const Span& s) { return s.read < made; }),
              live_.end());
  const std::optional<std::int64_t> begin = gap(bytes);
  if (!begin) return std::nullopt;
  const Span mine{*begin, *begin + bytes, value, read};
  Found found{*begin, {}};
  std::vector<Span> kept;
  for (const Span& s : last_) {
    if (s.end <= mine.begin || s.begin >= mine.end) {
      kept.push_back(s);
      continue;
    }
    found.displaced.push_back(s.value);
    if (s.begin < mine.begin) kept.push_back({s.begin, mine.begin, s.value, s.read});
    if (s.end > mine.end) kept.push_back({mine.end, s.end, s.value, s.read});
  }
  kept.push_back(mine);
  last_ = std::move(kept);
  live_.insert(std::find_if(live_.begin(), live_.end(), [&](const Span& s) { return s.begin > mine.begin; }),
               mine);
  peak_ = std::max(peak_, mine.end);
  return found;
}

}  // namespace edgenpu::lowering
