#include "lowering/kernel_lower.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/error.h"
#include "base/rates.h"
#include "lowering/kernel_cost.h"
#include "lowering/memory_map.h"
#include "lowering/values.h"
#include "lowering/wishes.h"

namespace edgenpu::lowering {

using config::Runtime;
using namespace workload;

namespace {

// What the lowering needs of a device.
struct Device {
  const config::Runtime& runtime;
  const config::Throughput& throughput;
  const config::Memory& memory;
  Bytes shared_cache;
  // Rows of a product that one core takes at a time: at least so many rows, at least so many bytes.
  std::int64_t grain_rows;
  Bytes grain_bytes;
  int cores;
};

// Which operators of a trace are lowered.
struct Part {
  const Shared* shared = nullptr;  // nullptr: all
  int mine = 0;

  bool has(std::size_t op) const { return !shared || shared->unit[op] == mine; }
  int stage(std::size_t op) const { return shared ? shared->stage[op] : 0; }
};

// Number of operators from `first` on that run as one kernel.
std::size_t fused_at(const Trace& trace, std::size_t first, const Runtime& runtime, const Part& part) {
  std::size_t longest = 1;
  for (const auto& group : runtime.fuse) {
    if (group.size() <= longest || first + group.size() > trace.operators.size()) continue;
    bool matches = true;
    for (std::size_t i = 0; i < group.size() && matches; ++i)
      matches = name_within_layer(trace.operators[first + i]) == group[i] && part.has(first + i);
    if (matches) longest = group.size();
  }
  return longest;
}

class KernelLowering {
 public:
  KernelLowering(const Trace& trace, const Device& device, const Part& part)
      : trace_(trace),
        device_(device),
        part_(part),
        map_(map_memory(trace, device.memory, 0)),
        costs_(device.runtime) {}

  KernelProgram run() {
    for (std::size_t first = 0; first < trace_.operators.size();) {
      if (!part_.has(first)) {
        ++first;
        continue;
      }
      const std::size_t n = fused_at(trace_, first, device_.runtime, part_), before = program_.kernels.size();
      kernel(first, n);
      for (std::size_t k = before; k < program_.kernels.size(); ++k)
        program_.kernels[k].stage = part_.stage(first);
      first += n;
    }
    program_.operators = static_cast<int>(trace_.operators.size());
    for (const Operator& op : trace_.operators) program_.operator_names.push_back(op.name);
    note_large_activations();
    return std::move(program_);
  }

 private:
  void kernel(std::size_t first, std::size_t n) {
    Kernel k;
    k.layer = trace_.operators[first].layer;
    if (const KernelPart q = quantisation(first, n); q.cycles > Cycles(0)) {
      if (device_.runtime.quantise == Runtime::Quantise::per_kernel)
        program_.kernels.push_back({{q}, k.layer, Femtoseconds(0)});
      else
        k.parts.push_back(q);
    }
    for (std::size_t i = first; i < first + n; ++i) {
      const auto* sample = std::get_if<Sample>(&trace_.operators[i].body);
      if (map_.inputs[i] >= 0) k.parts.push_back(given_rows(i));
      if (part_.shared)
        for (const int producer : part_.shared->reads[i]) k.parts.push_back(handed_over(i, producer));
      if (sample && device_.runtime.per_logit > Femtoseconds(0)) {
        KernelPart host;
        host.op = activity::OperatorId(static_cast<std::int32_t>(i));
        k.host = device_.runtime.per_logit * (sample->m * sample->vocab);
        k.parts.push_back(host);
      } else {
        k.parts.push_back(part(i));
      }
    }
    program_.kernels.push_back(std::move(k));
    for (std::size_t i = first; i < first + n; ++i) further_launches(i);
  }

  // An operator that is several kernels: its work is in the first, the others are launched after it.
  void further_launches(std::size_t i) {
    const Operator& op = trace_.operators[i];
    const auto it = device_.runtime.launches.find(name_within_layer(op));
    if (it == device_.runtime.launches.end()) return;
    KernelPart empty;
    empty.op = activity::OperatorId(static_cast<std::int32_t>(i));
    empty.read.count = empty.write.count = 0;
    for (std::int64_t k = 1; k < it->second; ++k)
      program_.kernels.push_back({{empty}, op.layer, Femtoseconds(0)});
  }

  // The input of the kernel's first integer product; products that share a kernel share it.
  KernelPart quantisation(std::size_t first, std::size_t n) {
    KernelPart q;
    for (std::size_t i = first; i < first + n; ++i) {
      const auto* product = std::get_if<MatMul>(&trace_.operators[i].body);
      const KernelCost cost = product ? costs_.quantisation(*product) : KernelCost{{}, 0};
      if (cost.rows == 0) continue;
      q.op = activity::OperatorId(static_cast<std::int32_t>(i));
      q.rows = cost.rows;
      q.cycles = cycles(cost, trace_.operators[i].name);
      q.grain = ceil_div(q.rows, device_.cores);
      return q;
    }
    return q;
  }

  KernelPart part(std::size_t i) {
    const Operator& op = trace_.operators[i];
    const KernelCost cost = costs_.of(op);
    KernelPart p;
    p.op = activity::OperatorId(static_cast<std::int32_t>(i));
    p.rows = cost.rows;
    p.cycles = cycles(cost, op.name);
    p.macs = macs(op.body);
    p.read.count = p.write.count = 0;
    const Bytes weights = weight_bytes(op.body);
    if (weights > Bytes(0)) p.read = {map_.weights[i], weights, 1, Bytes(0)};
    if (const auto* attention = std::get_if<Attention>(&op.body)) p.read = kv_stream(*attention, map_.kv[i]);
    if (const auto* write = std::get_if<KvWrite>(&op.body)) p.write = kv_write(*write, map_.kv[i]);
    if (part_.shared && part_.shared->value[i].count > 0) p.write = part_.shared->value[i];
    p.grain = grain(op, p);
    return p;
  }

  // What an operator takes that no other makes, shared among the cores by rows.
  KernelPart given_rows(std::size_t i) const {
    const Operator& op = trace_.operators[i];
    KernelPart p;
    p.op = activity::OperatorId(static_cast<std::int32_t>(i));
    p.rows = rows_of(op.body);
    p.read = {map_.inputs[i], input_bytes(op), 1, Bytes(0)};
    p.write.count = 0;
    p.grain = ceil_div(p.rows, device_.cores);
    return p;
  }

  // The result of an operator of another unit, shared among the cores by rows.
  KernelPart handed_over(std::size_t i, int producer) const {
    KernelPart p;
    p.op = activity::OperatorId(static_cast<std::int32_t>(i));
    p.rows = rows_of(trace_.operators[static_cast<std::size_t>(producer)].body);
    p.read = part_.shared->value[static_cast<std::size_t>(producer)];
    p.write.count = 0;
    p.grain = ceil_div(p.rows, device_.cores);
    return p;
  }

  // The cached rows of all heads that are seen, the newest: planes of one head's tokens, K then V, one
  // request after the other.
  static Transfer kv_stream(const Attention& o, const KvPlace& place) {
    const std::int64_t rows = cached_rows_read(o);
    if (rows == 0) return {0, Bytes(0), 0, Bytes(0)};
    return {place.address(0, 0, 0, o.cached - rows), place.row * rows, o.requests * 2 * o.kv_heads,
            place.head};
  }
  // The new rows of each plane lie behind its cached ones.
  Transfer kv_write(const KvWrite& o, const KvPlace& place) const {
    return {place.address(0, 0, 0, place.cached), place.row * (o.m / trace_.batch),
            trace_.batch * 2 * o.kv_heads, place.head};
  }

  std::int64_t grain(const Operator& op, const KernelPart& p) const {
    if (!std::holds_alternative<MatMul>(op.body))
      return std::max<std::int64_t>(1, p.rows / (4 * device_.cores));
    const std::int64_t row = std::max<std::int64_t>(1, p.read_bytes().count() / p.rows);
    std::int64_t rows = std::max(device_.grain_rows, ceil_div(device_.grain_bytes.count(), row));
    // Few chunks: one a core.
    if (ceil_div(p.rows, rows) < 4 * device_.cores) rows = ceil_div(p.rows, device_.cores);
    return rows;
  }

  Cycles cycles(const KernelCost& cost, const std::string& name) const {
    const auto cycles = device_.throughput.cycles(cost.work);
    if (!cycles)
      throw InfeasibleError(
          fmt::format("the kernel for {} in the runtime {} needs a pipe that the device does not have", name,
                      device_.runtime.name));
    return Cycles(truncated(std::ceil(*cycles), CyclesTag::kWhat));
  }

  void note_large_activations() {
    std::int64_t widest = 0;
    for (std::size_t i = 0; i < trace_.operators.size(); ++i)
      if (const auto* product = std::get_if<MatMul>(&trace_.operators[i].body); product && part_.has(i))
        widest = std::max(widest, product->m * product->copies * (product->n + product->k) * 4);
    if (widest > device_.shared_cache.count())
      program_.notes.push_back(
          fmt::format("the activations of the widest product ({} B) exceed the shared cache ({} B); their "
                      "traffic is not modelled",
                      widest, device_.shared_cache.count()));
  }

  const Trace& trace_;
  const Device& device_;
  const Part part_;
  MemoryMap map_;
  CostModel costs_;
  KernelProgram program_;
};

KernelProgram lowered(const Trace& trace, const config::Cpu& cpu, const Part& part) {
  const Device device{cpu.runtime, cpu.throughput, cpu.memory, cpu.shared_cache, cpu.runtime.chunk_rows,
                      Bytes(0),    cpu.cores};
  KernelProgram program = KernelLowering(trace, device, part).run();
  program.outstanding = cpu.line * cpu.outstanding;
  program.run_ahead = std::max(cpu.run_ahead, program.outstanding);
  return program;
}

KernelProgram lowered(const Trace& trace, const config::Gpu& gpu, const Part& part) {
  // Thread blocks are handed out in order; neighbouring ones are taken together up to this size, for speed.
  constexpr Bytes kGrain(4096);
  const Device device{gpu.runtime, gpu.throughput, gpu.memory,         gpu.shared_cache,
                      1,           kGrain,         gpu.multiprocessors};
  KernelProgram program = KernelLowering(trace, device, part).run();
  // What a warp has asked for waits in its registers: no further request before it is used.
  program.outstanding = std::min(gpu.outstanding, gpu.runtime.bytes_per_warp * gpu.runtime.warps);
  program.run_ahead = program.outstanding;
  return program;
}

}  // namespace

KernelProgram lower_kernels(const Trace& trace, const config::Cpu& cpu) {
  return lowered(trace, cpu, {});
}

KernelProgram lower_kernels(const Trace& trace, const config::Gpu& gpu) {
  return lowered(trace, gpu, {});
}

KernelProgram lower_kernels(const Trace& trace, const config::Cpu& cpu, const Shared& shared, int mine) {
  return lowered(trace, cpu, {&shared, mine});
}

KernelProgram lower_kernels(const Trace& trace, const config::Gpu& gpu, const Shared& shared, int mine) {
  return lowered(trace, gpu, {&shared, mine});
}

}  // namespace edgenpu::lowering
