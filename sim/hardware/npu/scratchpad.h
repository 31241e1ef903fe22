// The scratchpad: banks with ports of their own, interleaved finely enough that each stream of accesses
// spreads over all of them.
//
// Law. Ports: 1r1w (2r1w, 2r2w) reads and writes side by side, 1rw (2rw) shares its ports between them.
// Without `conflicts`, what units read and write has the bandwidth of all ports, first come first served.
// With them, each unit's reading and writing is a stream no wider than its own path (kPaths in the .cpp), and
// streams that go on at the same time meet in banks (bank_pool.h).
//
// Left out: which bank a buffer lies in (a placement of buffers in banks of their own); contents.
// Counters: scratchpad_read_B, scratchpad_write_B (billable); with conflicts scratchpad_conflict_ps, by how
// much longer accesses took than alone, the wait for older ones of other streams included.
#pragma once

#include <array>

#include "activity/counters.h"
#include "config/npu.h"
#include "hardware/npu/bandwidth_server.h"
#include "hardware/npu/bank_pool.h"
#include "lowering/program.h"

namespace edgenpu::hardware {

class Scratchpad {
 public:
  Scratchpad(const config::Npu& npu, activity::Counters& counters);

  // When the last byte has been read or written by `unit`.
  Femtoseconds read(lowering::Unit unit, Femtoseconds start, Bytes bytes, activity::OperatorId op);
  Femtoseconds write(lowering::Unit unit, Femtoseconds start, Bytes bytes, activity::OperatorId op);

 private:
  // One kind of port.
  struct Side {
    BandwidthServer pool;
    BankPool banks;
  };
  static Side side(const config::Npu& npu, int ports);
  Femtoseconds reserve(Side& side, lowering::Unit unit, bool writes, Femtoseconds start, Bytes bytes,
                       activity::OperatorId op) {
    return conflicts_ ? meet(side, unit, writes, start, bytes, op) : side.pool.reserve(start, bytes);
  }
  Femtoseconds meet(Side& side, lowering::Unit unit, bool writes, Femtoseconds start, Bytes bytes,
                    activity::OperatorId op);

  bool conflicts_, shared_;
  Side reads_, writes_;  // shared: reads_ serves both
  activity::Counters& counters_;
  activity::CounterId read_B_, write_B_, conflict_ps_{};
};

}  // namespace edgenpu::hardware
