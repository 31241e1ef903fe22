#include "config/cpu.h"

namespace edgenpu::config {

namespace {

constexpr IntRange kClock{1'000'000, 20'000'000'000};

void read_core(const Value& section, Cpu& cpu, Diagnostics& out) {
  MapReader r(section, out, "'core'");
  const double issue = r.real("issue", {0.1, 64});
  if (const Value* map = r.map("throughput")) cpu.throughput = read_throughput(*map, issue, out);
  cpu.outstanding = static_cast<int>(r.integer("outstanding", {1, 4096}));
  cpu.run_ahead = r.bytes("run_ahead", {64, 1 << 30});
  cpu.line = r.bytes("line", {16, 4096});
  if (const Value* map = r.map("peak")) cpu.peak = read_peak(*map, out);
  r.finish();
}

}  // namespace

std::map<vocabulary::Operands, double> read_peak(const Value& map, Diagnostics& out) {
  using vocabulary::Operands;
  MapReader r(map, out, "'peak'");
  std::map<Operands, double> peak;
  for (const Operands pair : {Operands::int8, Operands::fp16, Operands::bf16}) {
    r.accept(name_of(pair));
    if (r.has(name_of(pair))) peak[pair] = r.real(name_of(pair), {1.0 / 64, 1 << 20});
  }
  r.finish();
  for (const Operands needed : {Operands::int8, Operands::fp16})
    if (!peak.count(needed))
      out.add(map.position(), std::string("the peak rate of '") + name_of(needed) + "' products is missing");
  return peak;
}

Cpu read_cpu(const Value& tree) {
  Diagnostics out;
  MapReader top(tree, out, "the hardware description");
  Cpu cpu;
  top.choice("kind", {"cpu"});
  cpu.name = top.text("name");
  cpu.description = top.text("description", "");
  top.text("process", "");
  cpu.isa = top.text("isa");
  cpu.clock = top.frequency("clock", kClock);
  cpu.cores = static_cast<int>(top.integer("cores", {1, 1024}));
  top.accept("tdp");
  if (top.has("tdp")) cpu.tdp = Watts(top.quantity("tdp", unit::power, {1e-3, 1e5}));
  if (const Value* s = top.map("core")) read_core(*s, cpu, out);
  cpu.barrier = top.duration("barrier", {0, 1});
  if (const Value* s = top.map("cache")) {
    MapReader r(*s, out, "'cache'");
    cpu.shared_cache = r.bytes("shared", {1024, std::int64_t{1} << 40});
    r.accept("port");
    if (r.has("port")) cpu.port = BytesPerSecond(r.quantity("port", unit::bandwidth, {1e6, 1e14}));
    r.finish();
  }
  cpu.page = top.bytes("page", {4096, std::int64_t{1} << 30});
  if (const Value* s = top.map("memory")) cpu.memory = read_memory(*s, out);
  if (const Value* s = top.map("runtime")) cpu.runtime = read_runtime(*s, "cpu", cpu.isa, out);
  check_runtime_for(top);
  top.map("energy");  // read by energy/
  top.finish();
  out.throw_if_any();
  return cpu;
}

}  // namespace edgenpu::config
