#include "config/placement.h"

#include "base/rates.h"
#include "base/suggest.h"
#include "config/reader.h"

namespace edgenpu::config {

BytesPerSecond Cores::rate() const {
  return BytesPerSecond(static_cast<double>(line.count()) * outstanding * cores /
                        to_seconds(latency).count());
}

std::vector<OperandChoice> read_operands(const Value& section,
                                         const std::map<vocabulary::Operands, double>& rates,
                                         Diagnostics& out) {
  std::vector<std::string> supported;
  for (const auto& [pair, rate] : rates) supported.push_back(name_of(pair));
  MapReader r(section, out, "'lowering.operands'", Provenance::optional);
  std::vector<OperandChoice> choices;
  for (const Value::Entry& e : section.entries()) {
    if (e.key == "source") continue;
    r.accept(e.key);
    const std::string found = e.value.is_scalar() ? e.value.text() : "";
    const std::optional<vocabulary::Operands> pair = vocabulary::operands_by_name(found);
    if (pair && rates.count(*pair))
      choices.push_back({e.key, e.key_position, *pair});
    else
      out.add(e.value.position(), "'lowering.operands." + e.key + "': found " + describe(e.value) +
                                      "; the engines multiply (matrix.rate): " + join(supported) +
                                      did_you_mean(found, supported));
  }
  r.finish();
  return choices;
}

Cores read_cores(const Value& section, Diagnostics& out) {
  MapReader r(section, out, "'cpu'");
  Cores c;
  c.cores = static_cast<int>(r.integer("cores", {1, 256}));
  c.clock = r.frequency("clock", {1'000'000, 20'000'000'000});
  c.lanes = static_cast<int>(r.integer("lanes", {1, 1024}));
  c.handover = r.duration("handover", {0, 1});
  c.line = r.bytes("line", {1, 4096});
  c.outstanding = static_cast<int>(r.integer("outstanding", {1, 4096}));
  c.latency = r.duration("latency", {1e-9, 1e-3});
  if (const Value* operations = r.map("operations", true)) {
    MapReader orr(*operations, out, "'cpu.operations'");
    for (const vocabulary::FunctionInfo& f : vocabulary::vector_functions()) {
      orr.accept(f.name);
      if (orr.has(f.name)) c.operations[f.function] = orr.integer(f.name, {1, 100'000});
    }
    orr.finish();
  }
  r.finish();
  return c;
}

std::vector<Placed> read_placement(const Value& section, bool has_cores, Diagnostics& out) {
  MapReader r(section, out, "'placement'", Provenance::optional);
  std::vector<Placed> placed;
  if (const Value* list = r.list("cpu", true))
    for (const Value& item : list->items()) {
      if (!item.is_scalar())
        out.add(item.position(),
                "'placement.cpu': found " + describe(item) + "; expected patterns of operator names");
      else
        placed.push_back({item.text(), item.position()});
    }
  r.finish();
  if (!placed.empty() && !has_cores)
    out.add(placed.front().where,
            "'placement.cpu' names operators, but there is no section 'cpu' with the cores");
  return placed;
}

}  // namespace edgenpu::config
