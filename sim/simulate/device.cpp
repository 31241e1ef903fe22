#include "simulate/device.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/rates.h"
#include "base/suggest.h"
#include "hardware/run_system.h"
#include "lowering/assign.h"
#include "lowering/kernel_lower.h"
#include "lowering/kernel_memo.h"
#include "simulate/by_time.h"
#include "simulate/memo.h"
#include "simulate/plan_table.h"
#include "timing/refresh.h"

namespace edgenpu::simulate_detail {

namespace {

using config::Cpu;
using config::Gpu;
using config::Npu;
using vocabulary::Operands;

std::string kind_of(const config::Value& tree) {
  const std::vector<std::string> kinds = {"npu", "cpu", "gpu", "accelerator"};
  const config::Value* kind = tree.find("kind");
  if (!kind || !kind->is_scalar())
    throw InputError(tree.position(), "the hardware description lacks the key 'kind': one of " + join(kinds));
  for (const std::string& k : kinds)
    if (kind->text() == k) return k;
  if (kind->text() == "system")
    throw InputError(kind->position(), "a system of several units; edgenpu run simulates it, this does not");
  throw InputError(kind->position(), "found kind '" + kind->text() + "'; allowed: " + join(kinds) +
                                         did_you_mean(kind->text(), kinds));
}

std::variant<Npu, Cpu, Gpu> read(const std::string& kind, const config::Value& tree) {
  if (kind == "cpu") return config::read_cpu(tree);
  if (kind == "gpu" || kind == "accelerator") return config::read_gpu(tree);
  return config::read_npu(tree);
}

// Cores have no multipliers of four bits, and many none of their own for bf16: those products run as fp16.
double peak_of(const std::map<Operands, double>& peak, Operands operands) {
  switch (operands) {
    case Operands::int4_int8:
    case Operands::int8:
      return peak.at(Operands::int8);
    case Operands::fp16:
      return peak.at(Operands::fp16);
    case Operands::bf16:
      return peak.at(peak.count(Operands::bf16) > 0 ? Operands::bf16 : Operands::fp16);
  }
  throw InternalError("an operand pair without a peak rate");
}

class NpuPlan : public DevicePlan {
 public:
  NpuPlan(const Npu& npu, const workload::Trace& trace, bool memo, bool burst,
          const activity::RecordOptions& record)
      : DevicePlan(npu.memory), npu_(npu), plan_(trace, npu, memo), burst_(burst), record_(record) {}
  activity::Snapshot run() const override {
    return hardware::run_alone(npu_, plan_.program(), burst_, record_);
  }

 private:
  Extrapolated scaled(const activity::Snapshot& s) const override { return plan_.extrapolate(s); }

  const Npu& npu_;
  StepPlan plan_;
  bool burst_;
  activity::RecordOptions record_;
};

int cores_of(const Cpu& d) {
  return d.cores;
}
int cores_of(const Gpu& d) {
  return d.multiprocessors;
}

// A stretch is long enough for some all-bank refreshes and for streams to meet in banks by chance.
lowering::KernelCutLimits kernel_cut_limits(const config::Memory& memory) {
  constexpr int kRefreshes = 6;
  constexpr Bytes kLeast(1 << 20);
  const double interval = memory.t.tREFI.value() / static_cast<double>(memory.clock.count());
  const auto bytes = memory.ideal ? 0 : truncated(kRefreshes * interval * memory.peak().count());
  const Bytes stretch = std::max(kLeast, Bytes(bytes));
  return {stretch / 4, stretch, stretch / 4};
}

// Of a CPU or GPU.
template <class D>
class KernelPlan : public DevicePlan {
 public:
  KernelPlan(const D& device, const workload::Trace& trace, bool memo, bool burst,
             const activity::RecordOptions& record)
      : DevicePlan(device.memory), device_(device), burst_(burst), record_(record) {
    lowering::KernelProgram program = lowering::lower_kernels(trace, device);
    memo_ = memo ? lowering::memoise(program, cores_of(device), kernel_cut_limits(device.memory))
                 : lowering::whole(program);
  }
  activity::Snapshot run() const override {
    return hardware::run_alone(device_, memo_.program, burst_, record_);
  }

 private:
  Extrapolated scaled(const activity::Snapshot& s) const override {
    if (memo_.complete()) return {s, 1, 0};
    Extrapolated x{lowering::expand(s, memo_), 1, 0};
    x.simulated_fraction = static_cast<double>(s.total("dram_transferred_B")) /
                           static_cast<double>(std::max<std::int64_t>(1, x.run.total("dram_transferred_B")));
    x.error_estimate = lowering::error_estimate(s, x.run, memo_);
    return x;
  }

  const D& device_;
  bool burst_;
  activity::RecordOptions record_;
  lowering::KernelMemo memo_;
};

}  // namespace

Extrapolated DevicePlan::extrapolate(const activity::Snapshot& simulated) const {
  Extrapolated x = scaled(simulated);
  recount_by_time(x.run, simulated, memory_);
  return x;
}

Device::Device(const config::Value& tree) : kind_(kind_of(tree)), device_(read(kind_, tree)) {
  if (kind_ == "accelerator") kind_ = "npu";
}

const std::string& Device::name() const {
  return std::visit([](const auto& d) -> const std::string& { return d.name; }, device_);
}

const config::Memory& Device::memory() const {
  return std::visit([](const auto& d) -> const config::Memory& { return d.memory; }, device_);
}

std::int64_t Device::kv_page() const {
  const auto* npu = std::get_if<Npu>(&device_);
  return npu ? npu->kv_page : 0;
}

Hertz Device::clock() const {
  return std::visit([](const auto& d) { return d.clock; }, device_);
}

std::optional<Watts> Device::tdp() const {
  return std::visit([](const auto& d) { return d.tdp; }, device_);
}

energy::Sizes Device::sizes() const {
  const config::Memory& m = memory();
  energy::Sizes s;
  s.memory = m.capacity;
  s.memory_rank = m.channel_capacity() / m.ranks;
  s.banks_per_rank = m.banks();
  s.channels = m.channels;
  (m.refresh == config::RefreshMode::pb ? s.refresh_pb_per_s : s.refresh_ab_per_s) =
      timing::refreshes_per_second(m);
  if (const auto* npu = std::get_if<Npu>(&device_)) {
    s.scratchpad = npu->scratchpad.size;
    s.scratchpad_bank = npu->scratchpad.size / npu->scratchpad.banks;
    s.accumulator_bits = npu->accumulator_bits;
    const config::MatrixEngines& e = npu->matrix;
    s.multipliers = std::int64_t{e.engines} * e.rows * e.columns;
    s.engines = e.engines;
    s.cores = npu->placed.empty() ? 0 : npu->cores->cores;
    s.lanes = std::int64_t{npu->vector.pipelines} * npu->vector.lanes;
  }
  return s;
}

workload::Trace Device::assigned(workload::Trace trace, const energy::Table& table) const {
  const auto* npu = std::get_if<Npu>(&device_);
  if (!npu || !lowering::assigns(*npu)) return trace;
  Diagnostics out;
  const auto need = [&](const Position& where, const std::string& action, const std::string& why) {
    for (const energy::Component& c : table.components)
      for (const energy::Charge& charge : c.charges)
        if (charge.action->name == action) return;
    out.add(where, why + ", and the energy table has no price of '" + action + "'");
  };
  for (const config::OperandChoice& choice : npu->operands) {
    const std::string pair = name_of(choice.operands);
    need(choice.where, "mac_" + pair, "lowering.operands has '" + pair + "' for '" + choice.pattern + "'");
  }
  if (!npu->placed.empty()) need(npu->placed.front().where, "core_cycles", "placement.cpu names operators");
  out.throw_if_any();
  return lowering::assigned(std::move(trace), *npu);
}

std::vector<std::string> Device::counted() const {
  std::vector<std::string> names = {"dram_read_bits", "dram_write_bits", "dram_activate", "dram_refresh_ab",
                                    "dram_refresh_pb"};
  const auto* npu = std::get_if<Npu>(&device_);
  if (!npu || !npu->placed.empty()) names.push_back("core_cycles");
  if (!npu) return names;
  for (const auto& [operands, rate] : npu->matrix.rate)
    names.push_back(std::string("mac_") + name_of(operands));
  for (const char* name :
       {"dequant_weights_int4", "dequant_weights_int8", "dequant_scales", "partial_sum_adds", "partial_sum_B",
        "vector_fma", "scratchpad_read_B", "scratchpad_write_B", "interconnect_B", "control_instructions"})
    names.emplace_back(name);
  return names;
}

double Device::peak_macs(Operands operands) const {
  struct Visitor {
    Operands operands;
    double operator()(const Npu& d) const {
      const config::MatrixEngines& m = d.matrix;
      const auto rate = m.rate.find(operands);  // lowering refuses what cannot be multiplied
      if (rate == m.rate.end()) return 0;
      return static_cast<double>(m.engines) * m.rows * m.columns * rate->second *
             static_cast<double>(d.clock.count());
    }
    double operator()(const Cpu& d) const {
      return peak_of(d.peak, operands) * d.cores * static_cast<double>(d.clock.count());
    }
    double operator()(const Gpu& d) const {
      return peak_of(d.peak, operands) * d.multiprocessors * static_cast<double>(d.clock.count());
    }
  };
  return std::visit(Visitor{operands}, device_);
}

std::vector<std::string> Device::notes() const {
  const auto* npu = std::get_if<config::Npu>(&device_);
  if (!npu) return {};
  // Requests of a linear load go out in the order of addresses.
  const Bytes window = npu->dma.request * npu->dma.outstanding;
  const std::int64_t reached = ceil_div(window.count(), npu->memory.interleave.count());
  if (npu->memory.ideal || reached >= npu->memory.channels) return {};
  return {fmt::format(
      "dma.outstanding x dma.request is {} B in flight: {} of {} memory channels at an interleave of {} B, "
      "so a linear load leaves the others idle",
      window.count(), reached, npu->memory.channels, npu->memory.interleave.count())};
}

double Device::peak_macs_of_cores() const {
  const auto* npu = std::get_if<Npu>(&device_);
  if (!npu || !npu->cores) return 0;
  return static_cast<double>(npu->cores->all_lanes()) * static_cast<double>(npu->cores->clock.count());
}

result::Table Device::plan_table(const workload::Trace& trace) const {
  if (const auto* npu = std::get_if<Npu>(&device_)) return simulate_detail::plan_table(trace, *npu);
  throw InputError(Position{"--hardware"}, name() + " is of kind " + kind_ +
                                               ", which launches kernels; a plan is made for kind npu only");
}

std::unique_ptr<DevicePlan> Device::plan(const workload::Trace& trace, bool memo, bool burst,
                                         const activity::RecordOptions& record) const {
  if (memo && record.window > Femtoseconds(0))
    throw InternalError("power over time needs the whole step simulated");
  if (const auto* cpu = std::get_if<Cpu>(&device_))
    return std::make_unique<KernelPlan<Cpu>>(*cpu, trace, memo, burst, record);
  if (const auto* gpu = std::get_if<Gpu>(&device_))
    return std::make_unique<KernelPlan<Gpu>>(*gpu, trace, memo, burst, record);
  return std::make_unique<NpuPlan>(std::get<Npu>(device_), trace, memo, burst, record);
}

}  // namespace edgenpu::simulate_detail
