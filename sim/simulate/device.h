// The devices that a step can run on, behind one face: what the pipeline needs to know of an NPU, a CPU or a
// GPU.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "activity/snapshot.h"
#include "config/cpu.h"
#include "config/gpu.h"
#include "config/npu.h"
#include "energy/price.h"
#include "result/table.h"
#include "simulate/extrapolated.h"
#include "workload/trace.h"

namespace edgenpu::simulate_detail {

// A trace lowered for a device: what is simulated of it, and what follows for the whole.
class DevicePlan {
 public:
  explicit DevicePlan(const config::Memory& memory) : memory_(memory) {}
  virtual ~DevicePlan() = default;
  // In a process that has not run SystemC before.
  virtual activity::Snapshot run() const = 0;
  Extrapolated extrapolate(const activity::Snapshot& simulated) const;

 private:
  // In proportion to what was simulated.
  virtual Extrapolated scaled(const activity::Snapshot& simulated) const = 0;
  const config::Memory& memory_;
};

class Device {
 public:
  // By the tree's `kind`. Throws InputError.
  explicit Device(const config::Value& tree);

  using Description = std::variant<config::Npu, config::Cpu, config::Gpu>;
  const Description& description() const { return device_; }
  const std::string& kind() const { return kind_; }  // "npu", "cpu", "gpu"
  const std::string& name() const;
  const config::Memory& memory() const;
  // Tokens of a page of the KV cache; 0: it has none.
  std::int64_t kv_page() const;
  energy::Sizes sizes() const;
  Hertz clock() const;
  std::optional<Watts> tdp() const;
  // The trace with what the description decides for single operators (lowering/assign.h). Throws InputError,
  // also where `table` has no price for it.
  workload::Trace assigned(workload::Trace trace, const energy::Table& table) const;
  // Products per second of an operand pair.
  double peak_macs(vocabulary::Operands operands) const;
  // Of the cores beside the engines; 0: there are none.
  double peak_macs_of_cores() const;
  // The billable counters of its runs (energy/actions.h).
  std::vector<std::string> counted() const;
  // What a reader of its results should know of the description.
  std::vector<std::string> notes() const;

  // Lowers the trace. The device must outlive the plan.
  // A recording needs all of the step simulated: memo = false.
  // Throws InputError for a device that is no NPU with a scratchpad of its own.
  result::Table plan_table(const workload::Trace& trace) const;

  std::unique_ptr<DevicePlan> plan(const workload::Trace& trace, bool memo, bool burst_detail,
                                   const activity::RecordOptions& record = {}) const;

 private:
  std::string kind_;
  Description device_;
};

}  // namespace edgenpu::simulate_detail
