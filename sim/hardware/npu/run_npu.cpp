#include "hardware/npu/run_npu.h"

#include "hardware/npu/npu_top.h"

namespace edgenpu::hardware {

activity::Snapshot run_npu(const config::Npu& npu, const lowering::Program& program, bool burst_detail,
                           const activity::RecordOptions& record) {
  constexpr int kLoad = 0, kStore = 1, kMasters = 2;
  RunBooks books(npu.memory, program.operators, kMasters, burst_detail, record);
  NpuTop top("npu", npu, program, books.counters, books.ledger);
  top.load_dma().socket.bind(books.memory.socket(kLoad));
  top.store_dma().socket.bind(books.memory.socket(kStore));
  return books.run(top);
}

}  // namespace edgenpu::hardware
