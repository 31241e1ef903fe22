#include "config/npu.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "base/suggest.h"
#include "config/lowering_plan.h"
#include "config/npu_engines.h"
#include "config/reader.h"

namespace edgenpu::config {

namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30;
constexpr IntRange kClock{1'000'000, 20'000'000'000};

Scratchpad read_scratchpad(const Value& section, Diagnostics& out) {
  MapReader r(section, out, "'scratchpad'");
  Scratchpad s;
  s.size = r.bytes("size", {1024, 4 * kGiB});
  s.banks = static_cast<int>(r.integer("banks", {1, 65'536}));
  s.width = read_width(r, "width");
  struct Ports {
    int read, write;
    bool shared;
  };
  static constexpr Ports kPorts[] = {{1, 1, false}, {1, 0, true}, {2, 0, true}, {2, 1, false}, {2, 2, false}};
  const Ports& ports = kPorts[r.choice("ports", {"1r1w", "1rw", "2rw", "2r1w", "2r2w"}, 0)];
  s.read_ports = ports.read;
  s.write_ports = ports.write;
  s.shared_ports = ports.shared;
  s.conflicts = r.boolean("conflicts", false);
  if (s.size / s.banks < s.width)
    r.error("banks", fmt::format("{} banks share {} B: a bank is less than its width of {} B", s.banks,
                                 s.size.count(), s.width.count()));
  r.finish();
  return s;
}

Dma read_dma(const Value& section, Diagnostics& out) {
  MapReader r(section, out, "'dma'");
  Dma d;
  d.channels = static_cast<int>(r.integer("channels", {1, 256}));
  d.outstanding = static_cast<int>(r.integer("outstanding", {1, 1 << 20}));
  d.request = r.bytes("request", {32, 1 << 20});
  d.setup = r.cycles("setup", {0, 1'000'000});
  d.gather = r.boolean("gather", false);
  for (const char* key : {"list_entry", "list"})
    if (r.has(key) && !d.gather)
      r.error(key, "describes the lists of gather descriptors: 'gather: true' is missing");
  d.list_entry = r.bytes("list_entry", {1, 256}, d.list_entry);
  d.list_in_dram = r.choice("list", {"scratchpad", "dram"}, 1) == 1;
  r.finish();
  return d;
}

Interconnect read_interconnect(const Value& section, Diagnostics& out) {
  MapReader r(section, out, "'interconnect'");
  Interconnect i;
  i.width = read_width(r, "width");
  i.arbitration =
      static_cast<Arbitration>(r.choice("arbitration", {"first_come", "round_robin", "fixed"}, 0));
  const bool fixed = i.arbitration == Arbitration::fixed;
  if (r.has("first") && !fixed)
    r.error("first", "names the master of higher priority: it needs 'arbitration: fixed'");
  if (fixed)
    i.store_first = r.choice("first", {"load", "store"}) == 1;
  else
    r.accept("first");
  r.finish();
  return i;
}

// true, false, or a map of functions.
Fusion read_fusion(MapReader& lowering, Diagnostics& out) {
  const Value* section = lowering.value().find("fusion");
  if (!section || !section->is_map()) {
    const bool all = lowering.boolean("fusion", true);
    return {all, all, all};
  }
  lowering.accept("fusion");
  MapReader r(*section, out, "'lowering.fusion'", Provenance::optional);
  const Fusion fusion{r.boolean("activation", true), r.boolean("rope", true), r.boolean("norm", true)};
  r.finish();
  return fusion;
}

void read_control(MapReader& top, Npu& npu, Diagnostics& out) {
  if (const Value* section = top.map("interconnect")) npu.interconnect = read_interconnect(*section, out);
  if (const Value* section = top.map("command_processor")) {
    MapReader r(*section, out, "'command_processor'");
    npu.issue = r.cycles("issue", {1, 1'000'000});
    npu.queue_depth = static_cast<int>(r.integer("queue_depth", {1, 1 << 20}));
    npu.barriers = static_cast<Barriers>(r.choice("barriers", {"none", "layer", "operator"}, 0));
    r.finish();
  }
  if (const Value* section = top.map("host")) {
    MapReader r(*section, out, "'host'");
    npu.host_overhead = r.duration("overhead", {0, 1});
    r.finish();
  }
  if (const Value* section = top.map("lowering")) {
    MapReader r(*section, out, "'lowering'");
    npu.prefetch = r.boolean("prefetch", true);
    npu.double_buffering = r.boolean("double_buffering", true);
    npu.fusion = read_fusion(r, out);
    if (r.has("kv_page"))
      npu.kv_page = r.integer("kv_page", {0, 1 << 20});
    else
      r.accept("kv_page");
    if (const Value* plan = r.map("plan", true)) npu.plan = read_plan(*plan, out);
    if (const Value* operands = r.map("operands", true))
      npu.operands = read_operands(*operands, npu.matrix.rate, out);
    const Value* tile = section->find("tile");
    const bool is_auto = tile && tile->is_scalar() && tile->text() == "auto";
    if (is_auto)
      r.accept("tile");
    else
      npu.tile = r.bytes("tile", {256, kGiB});
    if (r.has("load") && !is_auto)
      r.error("load", "is the size of a load where 'tile' is auto; 'tile' sets it here");
    npu.load = r.bytes("load", {256, kGiB}, npu.load);
    npu.vector_command = r.bytes("vector_command", {64, kGiB}, npu.vector_command);
    r.finish();
  }
}

void read_cpu(MapReader& top, Npu& npu, Diagnostics& out) {
  if (const Value* s = top.map("cpu", true)) npu.cores = read_cores(*s, out);
  if (const Value* s = top.map("placement", true))
    npu.placed = read_placement(*s, npu.cores.has_value(), out);
}

}  // namespace

Npu read_npu(const Value& tree) {
  Diagnostics out;
  MapReader top(tree, out, "the hardware description");
  Npu npu;
  top.choice("kind", {"npu"});
  npu.name = top.text("name");
  npu.description = top.text("description", "");
  top.text("process", "");
  npu.clock = top.frequency("clock", kClock);
  top.accept("tdp");
  if (top.has("tdp")) npu.tdp = Watts(top.quantity("tdp", unit::power, {1e-3, 1e5}));
  if (const Value* s = top.map("matrix")) npu.matrix = read_matrix(*s, out);
  if (const Value* s = top.map("vector")) npu.vector = read_vector(*s, out);
  if (const Value* s = top.map("scratchpad")) npu.scratchpad = read_scratchpad(*s, out);
  if (const Value* s = top.map("dma")) npu.dma = read_dma(*s, out);
  read_control(top, npu, out);
  read_cpu(top, npu, out);
  if (const Value* s = top.map("memory")) npu.memory = read_memory(*s, out);
  top.map("energy");  // read by energy/
  // The section is read, and its keys checked, by numerics/; the accumulator's width has a price besides.
  if (const Value* s = top.map("arithmetic", true); s && s->find("accumulator_bits"))
    npu.accumulator_bits = static_cast<int>(
        MapReader(*s, out, "'arithmetic'", Provenance::optional).integer("accumulator_bits", {8, 32}));
  top.finish();
  out.throw_if_any();
  return npu;
}

}  // namespace edgenpu::config
