#include "config/npu.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "base/suggest.h"
#include "config/lowering_plan.h"
#include "config/reader.h"

namespace edgenpu::config {

namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30;
constexpr IntRange kClock{1'000'000, 20'000'000'000};

MatrixEngines read_matrix(const Value& section, Diagnostics& out) {
  MapReader r(section, out, "'matrix'");
  MatrixEngines m;
  m.dataflow =
      static_cast<Dataflow>(r.choice("dataflow", {"dot_product", "weight_stationary", "output_stationary"}));
  if (m.dataflow == Dataflow::weight_stationary)
    m.overlapped = r.choice("weight_load", {"serial", "overlapped"}) == 1;
  if (m.dataflow == Dataflow::output_stationary)
    m.overlapped = r.choice("drain", {"serial", "overlapped"}) == 1;
  if (r.has("split"))
    m.split = static_cast<Split>(r.choice("split", splits()));
  else
    r.accept("split");
  m.multicast = r.boolean("multicast", false);
  m.engines = static_cast<int>(r.integer("engines", {1, 1024}));
  m.rows = static_cast<int>(r.integer("rows", {1, 4096}));
  m.columns = static_cast<int>(r.integer("columns", {1, 4096}));
  m.pipeline = r.cycles("pipeline", {0, 10'000});
  m.port = Bytes(static_cast<std::int64_t>(r.quantity("port", unit::data_per_cycle, {1, 1 << 20})));
  if (const Value* rate = r.map("rate")) {
    MapReader rr(*rate, out, "'matrix.rate'");
    for (const char* pair : {"int4_int8", "int8", "fp16", "bf16"})
      if (rr.has(pair))
        m.rate[pair] = rr.real(pair, {1.0 / 64, 64});
      else
        rr.accept(pair);
    rr.finish();
  }
  if (const Value* decode = r.map("decode")) {
    MapReader dr(*decode, out, "'matrix.decode'");
    for (const Value::Entry& e : decode->entries())
      if (e.key != "source") m.decode[e.key] = dr.integer(e.key, {1, 1 << 20});
    dr.finish();
  }
  r.finish();
  return m;
}

// The passes of one function: [{operations: 1, reduce: true}, {operations: 2}].
std::vector<VectorPass> read_passes(const Value& list, const std::string& function, Diagnostics& out) {
  std::vector<VectorPass> passes;
  if (list.items().empty() || list.items().size() > 8)
    out.add(list.position(),
            fmt::format("'{}' has {} passes; allowed: 1 to 8", function, list.items().size()));
  for (const Value& item : list.items()) {
    MapReader r(item, out, fmt::format("a pass of '{}'", function), Provenance::optional);
    const bool first = passes.empty(), last = passes.size() + 1 == list.items().size();
    VectorPass pass;
    pass.operations = r.integer("operations", {1, 1000});
    pass.read = r.boolean("read", true);
    pass.write = r.boolean("write", false);
    pass.reduce = r.boolean("reduce", false);
    if (first && !pass.read)
      out.add(item.position(), fmt::format("the first pass of '{}' must read its elements", function));
    if (last && item.find("write"))
      out.add(item.position(),
              fmt::format("the last pass of '{}' writes the result: 'write' is for those before", function));
    r.finish();
    passes.push_back(pass);
  }
  return passes;
}

// A number (one pass over all elements) or a list of passes.
void read_function(MapReader& section, const std::string& function, VectorEngine& v, Diagnostics& out) {
  const Value* value = section.value().find(function);
  if (!value || !value->is_list()) {
    v.operations[function] = section.integer(function, {1, 1000});
    return;
  }
  section.accept(function);
  const auto& rows = row_functions();
  if (std::find(rows.begin(), rows.end(), function) == rows.end())
    out.add(value->position(),
            fmt::format("'{}' needs nothing of the whole row and takes one pass: a number; passes are for {}",
                        function, join(rows)));
  if (source_of(section.value(), function).empty() && value->position().source.rfind("--set ", 0) != 0)
    out.add(value->position(), fmt::format("'{}' has no source: name one in 'source' beside it", function));
  v.passes[function] = read_passes(*value, function, out);
  for (const VectorPass& pass : v.passes[function]) v.operations[function] += pass.operations;
}

VectorEngine read_vector(const Value& section, Diagnostics& out) {
  MapReader r(section, out, "'vector'");
  VectorEngine v;
  if (r.has("pipelines"))
    v.pipelines = static_cast<int>(r.integer("pipelines", {1, 256}));
  else
    r.accept("pipelines");
  v.lanes = static_cast<int>(r.integer("lanes", {1, 65'536}));
  v.start = r.cycles("start", {0, 100'000});
  if (const Value* operations = r.map("operations")) {
    MapReader orr(*operations, out, "'vector.operations'");
    for (const auto& [function, meaning] : vector_functions()) read_function(orr, function, v, out);
    orr.finish();
  }
  r.finish();
  return v;
}

Scratchpad read_scratchpad(const Value& section, Diagnostics& out) {
  MapReader r(section, out, "'scratchpad'");
  Scratchpad s;
  s.size = r.bytes("size", {1024, 4 * kGiB});
  s.banks = static_cast<int>(r.integer("banks", {1, 65'536}));
  s.width = Bytes(static_cast<std::int64_t>(r.quantity("width", unit::data_per_cycle, {1, 1 << 20})));
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
  i.width = Bytes(static_cast<std::int64_t>(r.quantity("width", unit::data_per_cycle, {1, 1 << 20})));
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
    if (tile && tile->is_scalar() && tile->text() == "auto")
      r.accept("tile");
    else
      npu.tile = r.bytes("tile", {256, kGiB});
    r.finish();
  }
}

void read_cpu(MapReader& top, Npu& npu, Diagnostics& out) {
  std::vector<std::string> functions;
  for (const auto& [function, meaning] : vector_functions()) functions.push_back(function);
  if (const Value* s = top.map("cpu", true)) npu.cores = read_cores(*s, functions, out);
  if (const Value* s = top.map("placement", true))
    npu.placed = read_placement(*s, npu.cores.has_value(), out);
}

}  // namespace

const std::vector<std::string>& loop_orders() {
  static const std::vector<std::string> names = {"activations", "weights", "outputs"};
  return names;
}

const std::vector<std::string>& splits() {
  static const std::vector<std::string> names = {"outputs", "rows", "reduction", "best"};
  return names;
}

const std::map<std::string, std::string>& vector_functions() {
  static const std::map<std::string, std::string> functions = {
      {"rms_norm", "square and accumulate, scale by the inverse root mean square, multiply by the weight"},
      {"layer_norm", "mean, variance, normalise, scale and shift"},
      {"rope",
       "rotation of a pair: two multiplications and an addition per element; the angles' sine and cosine"},
      {"softmax", "maximum, subtract, exponential, sum, divide"},
      {"rescale", "correction of a partial attention sum when the running maximum changes"},
      {"silu", "x / (1 + exp(-x))"},
      {"gelu", "x times the normal distribution function, by its tanh form"},
      {"multiply", "product of two vectors"},
      {"add", "sum of two vectors"},
      {"quantise", "largest magnitude, scale, round to int8"},
      {"decode", "one stored weight to fp32 (embedding rows)"},
      {"argmax", "comparison with the running maximum"},
  };
  return functions;
}

const std::vector<std::string>& row_functions() {
  static const std::vector<std::string> functions = {"layer_norm", "quantise", "rms_norm", "softmax"};
  return functions;
}

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
