// Devices of a mapping: a description of their own, or a generic one brought to their bandwidth.
#include <fmt/format.h>

#include "config/reader.h"
#include "config/units.h"
#include "evidence/mapping_rule.h"

namespace edgenpu::evidence {

using config::MapReader;
using config::Value;

std::string text_of(const Value& rule, const char* key) {
  const Value* v = rule.find(key);
  return v && v->is_scalar() ? v->text() : "";
}

bool accept(Mapped& m, const Value& rule) {
  if (const std::string note = text_of(rule, "note"); !note.empty()) m.notes.push_back(note);
  m.reason = text_of(rule, "cannot");
  return m.reason.empty();
}

std::optional<double> published_peak(const Value& rule, Diagnostics& out) {
  if (!rule.is_map() || !rule.find("peak")) return std::nullopt;
  MapReader r(rule, out, "the rule", config::Provenance::optional);
  return r.quantity("peak", config::unit::bandwidth, {1e8, 1e13}) * 1e-9;
}

namespace {

std::vector<config::Override> set_by(const Value& rule) {
  std::vector<config::Override> overrides;
  if (const Value* set = rule.find("set"))
    for (const Value::Entry& e : set->entries()) overrides.push_back({e.key, e.value});
  return overrides;
}

}  // namespace

std::string Mapping::file_of(const std::string& hardware) const {
  const bool file = config::names_a_file(hardware);
  return config::hardware_file(file ? folder_ + "/" + hardware : hardware,
                               config::shipped_hardware(data_dir_));
}

bool Mapping::take_device(Mapped& m, const Value& rule, const Measurement& row) const {
  const std::string hardware = file_of(text_of(rule, "hardware"));
  if (rule.find("scale")) return take_generic(m, rule, hardware, row);
  std::vector<config::Override> overrides = set_by(rule);
  if (row.peak_GBps) {
    const config::Memory& described = memories_.of(hardware, overrides);
    if (another_device(described, *row.peak_GBps)) {
      m.reason = fmt::format("the row states {:g} GB/s, {} has {:.3g}", *row.peak_GBps,
                             text_of(rule, "hardware"), described.peak().count() * 1e-9);
      return false;
    }
  }
  m.request.hardware = hardware;
  m.overrides = std::move(overrides);
  return true;
}

bool Mapping::take_generic(Mapped& m, const Value& rule, const std::string& hardware,
                           const Measurement& row) const {
  Diagnostics out;
  const std::optional<double> peak = row.peak_GBps ? row.peak_GBps : published_peak(rule, out);
  if (!peak) {
    m.reason = "no hardware description for this device, and the row states no bandwidth for a generic one";
    return false;
  }
  const std::string scale = text_of(rule, "scale");
  const Value tree = config::HardwareFile(hardware).resolve({});
  MapReader units(tree, out, "the hardware", config::Provenance::optional);
  const std::int64_t n = units.integer(scale, {1, 1 << 20});
  out.throw_if_any();
  std::vector<config::Override> overrides = scaled_to(memories_.of(hardware, {}), *peak, scale, n);
  for (config::Override& o : set_by(rule)) overrides.push_back(std::move(o));
  m.request.hardware = hardware;
  m.overrides = std::move(overrides);
  return true;
}

bool Mapping::choose_device(Mapped& m, const Measurement& row, Fields& fields) const {
  m.reason = "no hardware description for this device";
  for (const Rule& rule : devices_) {
    if (!holds(rule, fields)) continue;
    if (!text_of(rule.then, "cannot").empty()) return accept(m, rule.then);
    if (!take_device(m, rule.then, row)) continue;
    fields.emplace_back("hardware", text_of(rule.then, "hardware"));
    return accept(m, rule.then);
  }
  return false;
}

}  // namespace edgenpu::evidence
