#include "evidence/published.h"

#include <algorithm>
#include <filesystem>

#include "config/reader.h"
#include "config/resolve.h"
#include "evidence/median.h"
#include "result/comparison.h"
#include "workload/mixture.h"
#include "workload/model.h"

namespace edgenpu::evidence {

namespace {

using config::MapReader;
using config::Value;
namespace fs = std::filesystem;

PublishedRow read_row(const Value& value, const std::string& path, const std::string& data_dir,
                      Diagnostics& out) {
  MapReader r(value, out, "a published row");
  PublishedRow row;
  row.platform = r.text("platform");
  row.hardware = read_hardware(r, path, data_dir);
  r.accept("tdp");
  if (r.has("tdp")) row.tdp = Watts(r.quantity("tdp", config::unit::power, {1e-3, 1e5}));
  for (const char* metric : result::kPublishedMetrics) {
    r.accept(metric);
    if (r.has(metric)) row.metrics[metric] = r.real(metric, {1e-12, 1e12});
  }
  r.finish();
  return row;
}

}  // namespace

std::string beside(const std::string& path, const std::string& name) {
  return (fs::path(path).parent_path() / name).lexically_normal().string();
}

std::string read_hardware(MapReader& row, const std::string& path, const std::string& data_dir) {
  const std::string text = row.text("hardware");
  if (text.empty()) return "";
  try {
    return config::hardware_file(config::names_a_file(text) ? beside(path, text) : text,
                                 config::shipped_hardware(data_dir));
  } catch (const InputError& e) {
    row.error("hardware", "'" + text + "' " + e.diagnostics()[0].message);
  }
  return "";
}

PublishedTable read_published(const std::string& path, const std::string& data_dir) {
  const Value tree = config::parse_file(path);
  Diagnostics out;
  MapReader r(tree, out, "the published table");
  PublishedTable table;
  r.choice("kind", {"published"});
  table.name = r.text("name");
  table.source = r.text("source");
  table.model = r.text("model");
  table.quant = r.text("quant");
  table.context = r.integer("context", {0, 1 << 30});
  table.bandwidth_shares = beside(path, r.text("bandwidth_shares"));
  if (const Value* rows = r.list("rows"))
    for (const Value& row : rows->items()) table.rows.push_back(read_row(row, path, data_dir, out));
  r.finish();
  out.throw_if_any();
  workload::find_model(table.model, data_dir, tree.find("model")->position());
  workload::mixture_by_name(table.quant, tree.find("quant")->position());
  return table;
}

std::map<std::string, double> read_median_shares(const std::string& path) {
  const Value tree = config::parse_file(path);
  Diagnostics out;
  MapReader r(tree, out, "the bandwidth shares");
  r.choice("kind", {"bandwidth_shares"});
  std::map<std::string, std::vector<double>> shares;
  if (const Value* rows = r.list("rows"))
    for (const Value& row : rows->items()) {
      MapReader rr(row, out, "a bandwidth share");
      for (const char* key : {"device", "model", "quant", "runtime"}) rr.accept(key);
      shares[rr.text("class")].push_back(rr.real("share", {0, 1.5}));
      rr.finish();
    }
  r.finish();
  out.throw_if_any();
  std::map<std::string, double> medians;
  for (const auto& [device_class, values] : shares) medians[device_class] = median(values);
  return medians;
}

}  // namespace edgenpu::evidence
