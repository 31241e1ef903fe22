#include "evidence/platform_table.h"

#include "base/files.h"
#include "config/reader.h"
#include "evidence/mapping.h"
#include "evidence/published.h"
#include "evidence/validate.h"

namespace edgenpu::evidence {

namespace {

using result::PlatformCell;
using result::PlatformRow;
using result::PlatformTable;

struct Listed {
  std::string platform, hardware, quant;
};

struct PlatformList {
  std::int64_t context = 0;
  std::vector<std::string> models;
  std::string published;
  std::vector<Listed> rows;
};

PlatformList read_list(const std::string& path, const std::string& data_dir) {
  const config::Value tree = config::parse_file(path);
  Diagnostics out;
  config::MapReader r(tree, out, "the list of platforms");
  PlatformList list;
  r.choice("kind", {"platform_list"});
  r.text("source");
  list.context = r.integer("context", {0, 1 << 30});
  list.published = beside(path, r.text("published"));
  if (const config::Value* models = r.list("models"))
    for (const config::Value& m : models->items()) list.models.push_back(m.text());
  if (const config::Value* rows = r.list("rows"))
    for (const config::Value& row : rows->items()) {
      config::MapReader rr(row, out, "a platform");
      Listed l;
      l.platform = rr.text("platform");
      l.hardware = read_hardware(rr, path, data_dir);
      l.quant = rr.text("quant");
      rr.finish();
      list.rows.push_back(std::move(l));
    }
  r.finish();
  out.throw_if_any();
  return list;
}

StepRequest step_of(const PlatformList& list, const Listed& row, const std::string& model,
                    const std::string& data_dir) {
  StepRequest s;
  s.hardware = row.hardware;
  s.model = model;
  s.quant = row.quant;
  s.context = list.context;
  s.data_dir = data_dir;
  return s;
}

// An article's figure is for one model and quantisation.
double article_rate(const PublishedTable& article, const Listed& row, const std::string& model) {
  if (article.model != model) return 0;
  for (const PublishedRow& p : article.rows)
    if (same_file(p.hardware, row.hardware))
      if (const auto rate = p.metrics.find("tokens_per_s"); rate != p.metrics.end()) return rate->second;
  return 0;
}

using Mappings = std::vector<std::pair<const Measurement*, Mapped>>;

Mappings map_all(const Measurements& measurements, const Mapping& mapping) {
  Mappings all;
  for (const Measurement& m : measurements.rows) {
    if (!m.decode_tok_s) continue;
    Mapped mapped = mapping.map(m);
    if (mapped.reason.empty()) all.emplace_back(&m, std::move(mapped));
  }
  return all;
}

void add_measured(PlatformCell& cell, const Listed& row, const Mappings& mappings) {
  for (const auto& [m, mapped] : mappings)
    if (mapped.request.model == cell.model && same_file(mapped.request.hardware, row.hardware))
      cell.measured.push_back({m->id, mapped.request.quant, m->runtime, *m->decode_tok_s});
}

void fill(PlatformCell& cell, const PointResult& p) {
  cell.runtime = p.runtime;
  if (!p.figures) {
    cell.figures = p.figures.why();
    return;
  }
  const StepFigures& f = *p.figures;
  cell.figures =
      result::PlatformFigures{f.tokens_per_s, f.roof_tokens_per_s, f.J_per_token, f.J_per_token * f.total_s};
}

}  // namespace

PlatformTable platform_table(const Measurements& measurements, const PlatformTableRequest& request) {
  const PlatformList list = read_list(request.list, request.data_dir);
  const PublishedTable article = read_published(list.published, request.data_dir);
  const Mappings mappings = map_all(measurements, Mapping(request.mapping, request.data_dir));
  PointRunner runner(request.jobs, request.cache);
  std::vector<std::vector<std::string>> keys;
  for (const Listed& row : list.rows) {
    keys.emplace_back();
    for (const std::string& model : list.models)
      keys.back().push_back(runner.add(step_of(list, row, model, request.data_dir), {}));
  }
  runner.run(request.progress);
  PlatformTable table;
  table.context = list.context;
  for (std::size_t i = 0; i < list.rows.size(); ++i) {
    const Listed& row = list.rows[i];
    PlatformRow out{row.platform, {}};
    for (std::size_t m = 0; m < list.models.size(); ++m) {
      PlatformCell cell;
      cell.model = list.models[m];
      cell.quant = row.quant;
      fill(cell, runner.result(keys[i][m]));
      add_measured(cell, row, mappings);
      cell.article_tokens_per_s = article_rate(article, row, cell.model);
      out.cells.push_back(std::move(cell));
    }
    table.rows.push_back(std::move(out));
  }
  return table;
}

}  // namespace edgenpu::evidence
