#include "hardware/npu/interconnect.h"

namespace edgenpu::hardware {

using config::Arbitration;

Femtoseconds Interconnect::Younger::order(Femtoseconds start, Femtoseconds time, Femtoseconds end, Age age) {
  // They pass in what the oldest has left of the time since; at most what is queued at all is theirs.
  waits = std::max(Femtoseconds(0), waits - std::max(Femtoseconds(0), start - seen));
  waits = std::min(waits, end - start - time);
  seen = std::max(seen, start);
  if (age == Age::younger) waits += time;
  if (age == Age::new_oldest) waits = Femtoseconds(0);
  if (age != Age::oldest) return end;
  seen = std::max(seen, end - waits);
  return end - waits;
}

Femtoseconds Interconnect::arbitrated(lowering::Unit unit, Femtoseconds start, Femtoseconds time) {
  const bool store = unit == lowering::Unit::store;
  Femtoseconds& own = free_[store ? 1 : 0];
  Femtoseconds& other = free_[store ? 0 : 1];
  const Femtoseconds begin = std::max(start, own);
  const Femtoseconds beside = std::max(Femtoseconds(0), other - begin);  // how long the other goes on
  if (arbitration_ == Arbitration::round_robin) {
    const Femtoseconds shared = std::min(time, beside);
    if (shared > Femtoseconds(0)) other += shared;
    return own = begin + time + shared;
  }
  const bool first = store == store_first_;
  if (first && beside > Femtoseconds(0)) other += time;
  return own = begin + time + (first ? Femtoseconds(0) : beside);
}

}  // namespace edgenpu::hardware
