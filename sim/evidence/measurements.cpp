#include "evidence/measurements.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "base/suggest.h"
#include "config/reader.h"

namespace edgenpu::evidence {

namespace {

using config::MapReader;
using config::Value;

const std::vector<std::string> kKeys = {"id",
                                        "device",
                                        "device_class",
                                        "chip",
                                        "memory",
                                        "model",
                                        "quant",
                                        "runtime",
                                        "threads",
                                        "prompt_tokens",
                                        "gen_tokens",
                                        "context",
                                        "batch",
                                        "decode_tok_s",
                                        "prefill_tok_s",
                                        "ttft_ms",
                                        "power_W",
                                        "power_scope",
                                        "energy_basis",
                                        "energy_J_per_token",
                                        "source",
                                        "confidence",
                                        "note",
                                        "exclude_reason",
                                        "tdp_or_power_mode_W",
                                        "params_B",
                                        "implied_GBps",
                                        "implied_MBU",
                                        "memory_MB",
                                        "weight_bytes_GB",
                                        "quoted_fact",
                                        "weight_bytes_basis"};

// Characters by which a key may differ from a known one and still be taken for it.
constexpr int kTypo = 2;

bool is_known(const std::string& key) {
  return std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
}

// How YAML spells "nothing".
bool is_nothing(const Value& v) {
  return v.is_null() ||
         (v.is_scalar() && !v.quoted() && (v.text().empty() || v.text() == "null" || v.text() == "~"));
}

// The row without nulls and without keys that nobody knows.
Value cleaned(const Value& row, Diagnostics& out, std::map<std::string, int>& unknown) {
  Value map = Value::empty_map(row.position());
  for (const Value::Entry& e : row.entries()) {
    if (is_known(e.key)) {
      if (!is_nothing(e.value)) map.set_at(e.key, e.key_position, e.value);
      continue;
    }
    const std::string near = nearest(e.key, kKeys);
    if (near.empty() || edit_distance(near, e.key) > kTypo)
      ++unknown[e.key];
    else
      out.add(e.key_position, "unknown key '" + e.key + "' in a measurement; did you mean '" + near + "'?");
  }
  return map;
}

constexpr config::RealRange kPositive{1e-9, 1e9};
constexpr config::IntRange kTokens{0, 100'000'000};

std::optional<double> figure(MapReader& r, const std::string& key) {
  r.accept(key);
  return r.has(key) ? std::optional(r.real(key, kPositive)) : std::nullopt;
}

std::optional<std::int64_t> count(MapReader& r, const std::string& key) {
  r.accept(key);
  return r.has(key) ? std::optional(r.integer(key, kTokens)) : std::nullopt;
}

void read_memory(MapReader& r, Measurement& m, Diagnostics& out) {
  const Value* section = r.map("memory", true);
  if (!section) return;
  Value map = Value::empty_map(section->position());
  for (const Value::Entry& e : section->entries())
    if (!is_nothing(e.value)) map.set_at(e.key, e.key_position, e.value);
  MapReader s(map, out, "'memory'", config::Provenance::optional);
  m.memory_type = s.text("type", "");
  m.peak_GBps = figure(s, "peak_GBps");
  s.accept("peak_basis");
  s.finish();
}

Measurement read_row(const Value& map, Diagnostics& out) {
  MapReader r(map, out, "the measurement", config::Provenance::optional);
  for (const std::string& key : kKeys) r.accept(key);
  Measurement m;
  m.position = map.position();
  m.id = r.text("id");
  m.device = r.text("device");
  m.model = r.text("model");
  const std::vector<std::string> classes = {"cpu", "gpu", "npu"};
  if (r.has("device_class")) m.device_class = classes[r.choice("device_class", classes)];
  m.chip = r.text("chip", "");
  m.power_mode = r.text("tdp_or_power_mode_W", "");
  m.quant = r.text("quant", "");
  m.runtime = r.text("runtime", "");
  m.power_scope = r.text("power_scope", "");
  m.source = r.text("source", "");
  m.confidence = r.text("confidence", "");
  m.exclude_reason = r.text("exclude_reason", "");
  m.params_B = figure(r, "params_B");
  m.threads = count(r, "threads");
  m.prompt = count(r, "prompt_tokens");
  m.generated = count(r, "gen_tokens");
  m.context = count(r, "context");
  m.batch = r.integer("batch", {1, 1 << 20}, 1);
  m.decode_tok_s = figure(r, "decode_tok_s");
  m.prefill_tok_s = figure(r, "prefill_tok_s");
  m.ttft_ms = figure(r, "ttft_ms");
  m.energy_J_per_token = figure(r, "energy_J_per_token");
  read_memory(r, m, out);
  r.finish();
  if (!m.decode_tok_s && !m.prefill_tok_s && !m.ttft_ms && !m.energy_J_per_token)
    out.add(map.position(), "the measurement '" + m.id +
                                "' has no figure; one of decode_tok_s, prefill_tok_s, ttft_ms, "
                                "energy_J_per_token is needed");
  return m;
}

}  // namespace

Measurements read_measurements(const std::string& path) {
  const Value document = config::parse_file(path);
  if (!document.is_list() || document.items().empty())
    throw InputError(Position{path, 1, 1},
                     "a measurements file is a list of rows; found " + config::describe(document));
  Diagnostics out;
  Measurements all;
  all.file = path;
  std::map<std::string, int> unknown;
  std::map<std::string, Position> ids;
  for (const Value& row : document.items()) {
    if (!row.is_map()) {
      out.add(row.position(), "a measurement is a map; found " + config::describe(row));
      continue;
    }
    Measurement m = read_row(cleaned(row, out, unknown), out);
    const auto [before, fresh] = ids.emplace(m.id, m.position);
    if (!fresh && !m.id.empty())
      out.add(m.position, "the id '" + m.id + "' is used before, at " + to_string(before->second));
    all.rows.push_back(std::move(m));
  }
  out.throw_if_any();
  for (const auto& [key, n] : unknown)
    all.notes.push_back(fmt::format("the key '{}' ({} rows) is not known and was not read", key, n));
  return all;
}

}  // namespace edgenpu::evidence
