#include "hardware/npu/scratchpad.h"

#include <algorithm>

namespace edgenpu::hardware {

using lowering::Unit;

namespace {

constexpr std::int64_t kFp32 = 4;

int stream_of(Unit unit, bool writes) {
  return static_cast<int>(unit) * 2 + writes;
}

// What a unit can take from the scratchpad in a cycle or bring: loads and stores what the interconnect
// carries; the engines what their ports take, and a result of each of their outputs; each lane of the vector
// engine two operands and a result.
Bytes path_of(const config::Npu& npu, Unit unit, bool writes) {
  const config::MatrixEngines& m = npu.matrix;
  const std::int64_t lanes = std::int64_t{npu.vector.pipelines} * npu.vector.lanes;
  switch (unit) {
    case Unit::load:
    case Unit::store:
      return npu.interconnect.width;
    case Unit::matrix:
      return writes ? Bytes(kFp32 * m.outputs() * m.engines) : m.port * m.engines;
    case Unit::vector:
      return Bytes(kFp32 * lanes * (writes ? 1 : 2));
    case Unit::cores:  // over the interconnect, in the paths of loads and stores
      break;
  }
  return Bytes(0);
}

}  // namespace

Scratchpad::Side Scratchpad::side(const config::Npu& npu, int ports) {
  const config::Scratchpad& s = npu.scratchpad;
  ports = std::max(1, ports);
  Side side{BandwidthServer(s.width * (std::int64_t{s.banks} * ports), npu.clock),
            BankPool(s.banks, ports, s.width, npu.clock)};
  if (!s.conflicts) return side;
  for (const Unit unit : {Unit::load, Unit::store, Unit::matrix, Unit::vector})
    for (const bool writes : {false, true})
      side.banks.set_path(stream_of(unit, writes), path_of(npu, unit, writes));
  return side;
}

Scratchpad::Scratchpad(const config::Npu& npu, activity::Counters& counters)
    : conflicts_(npu.scratchpad.conflicts),
      shared_(npu.scratchpad.shared_ports),
      reads_(side(npu, npu.scratchpad.read_ports)),
      writes_(side(npu, npu.scratchpad.write_ports)),
      counters_(counters),
      read_B_(counters.declare({"scratchpad_read_B", "bytes", "bytes read from the scratchpad", true})),
      write_B_(counters.declare({"scratchpad_write_B", "bytes", "bytes written to the scratchpad", true})) {
  if (conflicts_)
    conflict_ps_ = counters.declare({"scratchpad_conflict_ps", "picoseconds",
                                     "what accesses to the scratchpad took longer than alone", false});
}

Femtoseconds Scratchpad::meet(Side& side, Unit unit, bool writes, Femtoseconds start, Bytes bytes,
                              activity::OperatorId op) {
  const BankPool::Access access = side.banks.reserve(stream_of(unit, writes), start, bytes);
  if (access.longer > Femtoseconds(0)) counters_.add(op, conflict_ps_, access.longer.count() / 1000);
  return access.end;
}

Femtoseconds Scratchpad::read(Unit unit, Femtoseconds start, Bytes bytes, activity::OperatorId op) {
  const Femtoseconds end = reserve(reads_, unit, false, start, bytes, op);
  counters_.add_over(op, read_B_, bytes.count(), start, end);
  return end;
}

Femtoseconds Scratchpad::write(Unit unit, Femtoseconds start, Bytes bytes, activity::OperatorId op) {
  const Femtoseconds end = reserve(shared_ ? reads_ : writes_, unit, true, start, bytes, op);
  counters_.add_over(op, write_B_, bytes.count(), start, end);
  return end;
}

}  // namespace edgenpu::hardware
