#include "config/lowering_plan.h"

#include "config/reader.h"

namespace edgenpu::config {

namespace {

constexpr IntRange kTile{1, std::int64_t{1} << 30};

PlanOverride read_override(const Value::Entry& entry, Diagnostics& out) {
  PlanOverride plan;
  plan.pattern = entry.key;
  plan.where = entry.key_position;
  MapReader r(entry.value, out, "'lowering.plan." + entry.key + "'", Provenance::optional);
  const auto tile = [&r](const char* key, std::int64_t& to) {
    r.accept(key);
    if (r.has(key)) to = r.integer(key, kTile);
  };
  tile("tile_m", plan.m);
  tile("tile_n", plan.n);
  tile("tile_k", plan.k);
  r.accept("order");
  if (r.has("order")) plan.order = static_cast<LoopOrder>(r.choice("order", loop_orders()));
  r.accept("split");
  if (r.has("split")) plan.split = static_cast<Split>(r.choice("split", splits()));
  r.finish();
  return plan;
}

}  // namespace

std::vector<PlanOverride> read_plan(const Value& section, Diagnostics& out) {
  std::vector<PlanOverride> plans;
  for (const Value::Entry& entry : section.entries()) {
    if (entry.key == "source") continue;
    if (entry.value.is_map())
      plans.push_back(read_override(entry, out));
    else
      out.add(entry.value.position(), "'lowering.plan." + entry.key + "': found " + describe(entry.value) +
                                          "; expected a map with order, tile_m, tile_n, tile_k or split");
  }
  return plans;
}

}  // namespace edgenpu::config
