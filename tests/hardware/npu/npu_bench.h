// Runs a program on the NPU in front of a foreign memory (fixed rate and latency). One run a process.
#pragma once

#include "hardware/npu/foreign_memory.h"
#include "hardware/npu/npu_top.h"
#include "lowering/sample_npu.h"

namespace edgenpu::test {

struct NpuBench {
  NpuBench(const config::Npu& n, const lowering::Program& p, BytesPerSecond rate = BytesPerSecond(8.192e9),
           Femtoseconds latency = Femtoseconds(100'000'000))
      : npu(n), program(p), counters(p.operators), ledger(n.memory.channels, p.operators) {
    sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_DO_NOTHING);
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    memory = std::make_unique<ForeignMemory>("memory", 2, rate, latency);
    top = std::make_unique<hardware::NpuTop>("npu", npu, program, counters, ledger);
    top->load_dma().socket.bind(memory->socket(0));
    top->store_dma().socket.bind(memory->socket(1));
  }
  // Picoseconds until the last command has finished.
  std::int64_t run() {
    sc_core::sc_start();
    EXPECT_TRUE(top->finished()) << top->describe();
    ledger.finish(top->end());
    return top->end().count() / 1000;
  }
  std::int64_t count(const std::string& name) const {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < counters.infos().size(); ++i)
      if (counters.infos()[i].name == name)
        for (const std::int64_t v : counters.values()[i]) sum += v;
    return sum;
  }
  std::int64_t loss(activity::Loss cause) const {
    Wide sum = 0;
    for (const auto& op : ledger.losses()) sum += op[static_cast<std::size_t>(cause)];
    return narrow(sum / ledger.channels() / 1000);
  }

  config::Npu npu;
  lowering::Program program;
  activity::Counters counters;
  activity::LossLedger ledger;
  std::unique_ptr<ForeignMemory> memory;
  std::unique_ptr<hardware::NpuTop> top;
};

// Programs by hand.
struct ProgramBuilder {
  lowering::Program p;
  ProgramBuilder() {
    p.operators = 4;
    p.operator_names = {"a", "b", "c", "d"};
    p.formats = {{"Q4_K", 256, true, 32}};
    p.operand_pairs = {{vocabulary::Operands::int4_int8, 1.0}};
  }
  int add(lowering::Unit unit, std::size_t work, const std::vector<lowering::Dependency>& waits, int op) {
    p.commands.push_back({unit, activity::OperatorId(op), static_cast<std::int32_t>(work),
                          static_cast<std::int32_t>(p.dependencies.size()),
                          static_cast<std::int32_t>(waits.size())});
    p.dependencies.insert(p.dependencies.end(), waits.begin(), waits.end());
    return static_cast<int>(p.commands.size()) - 1;
  }
  int load(std::int64_t address, std::int64_t bytes, const std::vector<lowering::Dependency>& waits = {},
           int op = 0) {
    p.transfers.push_back({address, Bytes(bytes), 1, Bytes(0)});
    return add(lowering::Unit::load, p.transfers.size() - 1, waits, op);
  }
  int store(const lowering::Transfer& t, const std::vector<lowering::Dependency>& waits = {}, int op = 0) {
    p.transfers.push_back(t);
    return add(lowering::Unit::store, p.transfers.size() - 1, waits, op);
  }
  int matrix(std::int64_t n, std::int64_t k, const std::vector<lowering::Dependency>& waits = {},
             int op = 0) {
    lowering::MatrixWork w;
    w.n = n;
    w.k = k;
    w.format = 0;
    p.matrix.push_back(w);
    return add(lowering::Unit::matrix, p.matrix.size() - 1, waits, op);
  }
  int vector(std::int64_t elements, std::int64_t operations,
             const std::vector<lowering::Dependency>& waits = {}, int op = 0) {
    p.vector.push_back({elements, operations, Bytes(0), Bytes(0)});
    return add(lowering::Unit::vector, p.vector.size() - 1, waits, op);
  }
};

}  // namespace edgenpu::test
