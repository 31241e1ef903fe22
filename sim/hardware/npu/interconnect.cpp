#include "hardware/npu/interconnect.h"

namespace edgenpu::hardware {

using config::Arbitration;

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
