#include "evidence/energy_anchors.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/rates.h"
#include "config/reader.h"
#include "evidence/energy_scope.h"
#include "evidence/published.h"

namespace edgenpu::evidence {

namespace {

using result::EnergyAnchor;

struct Row {
  EnergyAnchor anchor;
  StepRequest step;
};

Row read_row(const config::Value& value, const std::string& table, const std::string& data_dir,
             Diagnostics& out) {
  config::MapReader r(value, out, "an energy anchor", config::Provenance::optional);
  Row row;
  EnergyAnchor& a = row.anchor;
  a.id = r.text("id");
  a.hardware = read_hardware(r, table, data_dir);
  a.model = r.text("model");
  a.quant = r.text("quant");
  a.context = r.integer("context", {0, 1 << 30});
  a.rail = r.text("rail", "");
  a.scope =
      a.rail.empty() ? energy::scope_names()[r.choice("scope", energy::scope_names())] : "rail " + a.rail;
  a.measured_J = r.real("J_per_token", {1e-9, 1e6});
  a.measured_tokens_per_s = r.real("tokens_per_s", {1e-6, 1e9});
  a.fitted = r.boolean("fitted", false);
  a.source = r.text("source");
  if (const config::Value* set = r.list("set", true))
    for (const config::Value& item : set->items()) row.step.overrides.push_back(item.text());
  r.finish();
  row.step.hardware = a.hardware;
  row.step.model = a.model;
  row.step.quant = a.quant;
  row.step.context = a.context;
  row.step.data_dir = data_dir;
  return row;
}

void predict(Row& row, int jobs) {
  EnergyAnchor& a = row.anchor;
  const config::Value tree = hardware_of(row.step);
  const Outcome<StepCounts> outcome = simulate_counts(row.step, {tree}, jobs).front();
  if (!outcome) throw InputError(Position{a.id}, outcome.why().text);
  const StepCounts& counts = *outcome;
  const energy::Table table = energy::read_table(*tree.find("energy"));
  a.predicted_J = joules_in(counts, table, a.scope) / counts.tokens;
  a.predicted_tokens_per_s = counts.tokens / to_seconds(counts.run.time).count();
}

}  // namespace

std::vector<EnergyAnchor> predict_energy(const std::string& table, const std::string& data_dir, int jobs) {
  const config::Value tree = config::parse_file(table);
  Diagnostics out;
  config::MapReader r(tree, out, "the table of energy anchors", config::Provenance::optional);
  r.choice("kind", {"energy_anchors"});
  std::vector<Row> rows;
  if (const config::Value* list = r.list("rows"))
    for (const config::Value& item : list->items()) rows.push_back(read_row(item, table, data_dir, out));
  r.finish();
  out.throw_if_any();
  std::vector<EnergyAnchor> anchors;
  for (Row& row : rows) {
    predict(row, jobs);
    anchors.push_back(row.anchor);
  }
  return anchors;
}

}  // namespace edgenpu::evidence
