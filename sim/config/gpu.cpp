#include "config/gpu.h"

#include "config/cpu.h"
#include "config/toolkit.h"

namespace edgenpu::config {

namespace {

constexpr IntRange kClock{1'000'000, 20'000'000'000};

void read_multiprocessor(const Value& section, Gpu& gpu, Diagnostics& out) {
  MapReader r(section, out, "'multiprocessor'");
  const double issue = r.real("issue", {1, 1 << 16});
  if (const Value* map = r.map("throughput")) gpu.throughput = read_throughput(*map, issue, out);
  r.accept("matrix");
  if (r.has("matrix")) gpu.throughput.matrix_on_lanes = r.choice("matrix", {"units", "lanes"}) == 1;
  gpu.outstanding = r.bytes("outstanding", {32, 1 << 30});
  gpu.line = r.bytes("line", {16, 4096}, gpu.line);
  if (const Value* map = r.map("peak")) gpu.peak = read_peak(*map, out);
  r.finish();
}

void read_launch(const Value& section, Gpu& gpu, Diagnostics& out) {
  MapReader r(section, out, "'launch'");
  gpu.gap = r.duration("gap", {0, 1});
  gpu.graph_gap = r.duration("graph_gap", {0, 1});
  gpu.latency = r.cycles("latency", {0, 10'000'000});
  r.finish();
}

// Times of the host are for the processor that the runtime's part names.
void scale_host(Runtime& runtime, double speed) {
  for (Femtoseconds* t : {&runtime.per_token, &runtime.per_layer, &runtime.per_kernel, &runtime.per_logit})
    *t = Femtoseconds(static_cast<std::int64_t>(static_cast<double>(t->count()) / speed));
}

}  // namespace

Gpu read_gpu(const Value& tree) {
  Diagnostics out;
  MapReader top(tree, out, "the hardware description");
  Gpu gpu;
  const std::vector<std::string> kinds = {"gpu", "accelerator"};
  gpu.kind = kinds[top.choice("kind", kinds)];
  gpu.name = top.text("name");
  gpu.description = top.text("description", "");
  top.text("process", "");
  gpu.isa = top.text("isa");
  gpu.clock = top.frequency("clock", kClock);
  gpu.multiprocessors = static_cast<int>(top.integer("multiprocessors", {1, 4096}));
  top.accept("tdp");
  if (top.has("tdp")) gpu.tdp = Watts(top.quantity("tdp", unit::power, {1e-3, 1e5}));
  if (const Value* s = top.map("multiprocessor")) read_multiprocessor(*s, gpu, out);
  if (const Value* s = top.map("launch")) read_launch(*s, gpu, out);
  if (const Value* s = top.map("cache")) {
    MapReader r(*s, out, "'cache'");
    gpu.shared_cache = r.bytes("shared", {1024, std::int64_t{1} << 40});
    r.accept("port");
    if (r.has("port")) gpu.port = BytesPerSecond(r.quantity("port", unit::bandwidth, {1e6, 1e14}));
    r.finish();
  }
  if (const Value* s = top.map("memory")) gpu.memory = read_memory(*s, out);
  if (const Value* s = top.map("runtime")) gpu.runtime = read_runtime(*s, gpu.kind, gpu.isa, out);
  if (const Value* s = top.map("host", true)) {
    MapReader r(*s, out, "'host'");
    scale_host(gpu.runtime, r.real("speed", {0.01, 100}));
    r.finish();
  }
  top.accept("toolkit");
  read_toolkit(tree, out);
  check_runtime_for(top);
  top.map("energy");  // read by energy/
  top.finish();
  out.throw_if_any();
  return gpu;
}

}  // namespace edgenpu::config
