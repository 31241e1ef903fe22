#include "config/npu_engines.h"

#include <cmath>
#include <fmt/format.h>

#include "base/suggest.h"
#include "config/known_names.h"
#include "vocabulary/weight_format.h"

namespace edgenpu::config {

namespace {

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
void read_function(MapReader& section, const vocabulary::FunctionInfo& f, VectorEngine& v, Diagnostics& out) {
  const std::string name = f.name;
  const Value* value = section.value().find(name);
  if (!value || !value->is_list()) {
    v.operations[f.function] = section.integer(name, {1, 1000});
    return;
  }
  section.accept(name);
  if (!f.whole_row)
    out.add(value->position(),
            fmt::format("'{}' needs nothing of the whole row and takes one pass: a number; passes are for {}",
                        name, join(vocabulary::row_function_names())));
  if (source_of(section.value(), name).empty() && value->position().source.rfind("--set ", 0) != 0)
    out.add(value->position(), fmt::format("'{}' has no source: name one in 'source' beside it", name));
  v.passes[f.function] = read_passes(*value, name, out);
  for (const VectorPass& pass : v.passes[f.function]) v.operations[f.function] += pass.operations;
}

}  // namespace

Bytes read_width(MapReader& r, const std::string& key) {
  const double width = r.quantity(key, unit::data_per_cycle, {1, 1 << 20});
  const double bytes = std::round(width);
  if (std::abs(width - bytes) > 1e-9 * bytes)
    r.error(key,
            fmt::format(
                "{:.6g} B/cycle is not a whole number of bytes a cycle; allowed: {:.0f} or {:.0f} B/cycle",
                width, std::floor(width), std::ceil(width)));
  return Bytes(static_cast<std::int64_t>(bytes));
}

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
  m.port = read_width(r, "port");
  m.buffer = r.bytes("buffer", {1, 1 << 30}, m.buffer);
  if (const Value* rate = r.map("rate")) {
    MapReader rr(*rate, out, "'matrix.rate'");
    for (const vocabulary::Operands pair : vocabulary::kAllOperands) {
      rr.accept(name_of(pair));
      if (rr.has(name_of(pair))) m.rate[pair] = rr.real(name_of(pair), {1.0 / 64, 64});
    }
    rr.finish();
  }
  if (const Value* decode = r.map("decode")) {
    MapReader dr(*decode, out, "'matrix.decode'");
    check_keys(*decode, "format", vocabulary::format_names(), out);
    for (const Value::Entry& e : decode->entries())
      if (e.key != "source") m.decode[e.key] = dr.integer(e.key, {1, 1 << 20});
    dr.finish();
  }
  r.finish();
  return m;
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
    for (const vocabulary::FunctionInfo& f : vocabulary::vector_functions()) read_function(orr, f, v, out);
    orr.finish();
  }
  r.finish();
  return v;
}

const std::vector<std::string>& loop_orders() {
  static const std::vector<std::string> names = {"activations", "weights", "outputs"};
  return names;
}

const std::vector<std::string>& splits() {
  static const std::vector<std::string> names = {"outputs", "rows", "reduction", "best"};
  return names;
}

}  // namespace edgenpu::config
