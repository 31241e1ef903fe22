#include "lowering/ring.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/error.h"

namespace edgenpu::lowering {

namespace {

// Of places that nothing has to be waited for.
constexpr int kNobody = -2;

}  // namespace

Ring::Ring(Bytes size, Bytes begin, const std::vector<Occupied>& before)
    : size_(size), begin_(begin), free_(size) {
  std::vector<Occupied> here;
  for (const Occupied& o : before) {
    const Bytes from = std::max(o.begin, begin), to = std::min(o.end, begin + size);
    if (from < to) here.push_back({from, to, o.reader});
  }
  std::sort(here.begin(), here.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  Bytes covered = begin;
  for (const Occupied& o : here) {
    append_gap(o.begin - covered);
    places_.push_back({o.end - o.begin, -1, o.reader});
    free_ -= o.end - o.begin;
    covered = o.end;
  }
  if (here.empty()) return;
  append_gap(begin + size - covered);
  begin_behind_the_youngest();
}

// What falls free last is taken last.
void Ring::begin_behind_the_youngest() {
  const auto youngest = std::max_element(places_.begin(), places_.end(),
                                         [](const Place& a, const Place& b) { return a.reader < b.reader; });
  for (auto it = places_.begin(); it != std::next(youngest); ++it) tail_ += it->bytes;
  tail_ = Bytes(tail_.count() % size_.count());
  std::rotate(places_.begin(), std::next(youngest), places_.end());
}

void Ring::append_gap(Bytes bytes) {
  if (bytes == Bytes(0)) return;
  places_.push_back({bytes, -1, kNobody});
  free_ -= bytes;
}

std::vector<int> Ring::take(Bytes bytes, int occupant) {
  std::vector<int> readers;
  while (free_ < bytes) {
    if (places_.empty() || places_.front().reader == -1)
      throw InternalError(
          fmt::format("{} B would overwrite scratchpad data that nothing has read yet", bytes.count()));
    if (places_.front().reader != kNobody) readers.push_back(places_.front().reader);
    free_ += places_.front().bytes;
    places_.pop_front();
  }
  free_ -= bytes;
  tail_ = size_ > Bytes(0) ? Bytes((tail_ + bytes).count() % size_.count()) : Bytes(0);
  places_.push_back({bytes, occupant, -1});
  return readers;
}

bool Ring::release(int occupant, int command) {
  for (auto it = places_.rbegin(); it != places_.rend(); ++it) {
    if (it->occupant != occupant) continue;
    it->reader = command;
    return true;
  }
  return false;
}

void Ring::append_occupied(std::vector<Occupied>& to) const {
  // From the youngest backwards: it ends at the tail.
  std::int64_t end = tail_.count();
  for (auto it = places_.rbegin(); it != places_.rend(); ++it) {
    const std::int64_t from = end - it->bytes.count();
    if (it->reader == -1 && it->bytes > Bytes(0))
      throw InternalError("the scratchpad is divided anew while something in it is still to be read");
    if (it->reader != kNobody && from < end) {
      to.push_back({begin_ + Bytes(std::max<std::int64_t>(0, from)), begin_ + Bytes(end), it->reader});
      if (from < 0) to.push_back({begin_ + size_ + Bytes(from), begin_ + size_, it->reader});
    }
    end = from < 0 ? size_.count() + from : from == 0 ? size_.count() : from;
  }
}

}  // namespace edgenpu::lowering
