#include "report/system.h"

#include <fmt/format.h>

#include "base/text.h"
#include "report/json_parts.h"
#include "report/numbers.h"
#include "report/table.h"
#include "report/text.h"

namespace edgenpu::report {

namespace {

using Align = TextTable::Align;

Json unit_json(const result::UnitResult& u) {
  return {{"kind", u.kind},
          {"description", u.description},
          {"program", u.program.empty() ? Json() : Json(u.program)},
          {"operators", u.operators},
          {"dram_read_B", u.dram_read_B},
          {"dram_write_B", u.dram_write_B},
          {"macs", u.macs},
          {"energy_J", number(u.energy_J, u.name + ".energy_J")},
          {"static_J", number(u.static_J, u.name + ".static_J")},
          {"dram_energy_J", number(u.dram_energy_J, u.name + ".dram_energy_J")},
          {"losses_s", losses(u.losses_s, activity::kLosses)}};
}

std::string unit_table(const result::SystemResult& r) {
  TextTable t({{"Unit", Align::left},
               {"Kind", Align::left},
               {"Program", Align::left},
               {"Operators"},
               {"DRAM read"},
               {"DRAM written"},
               {"Energy"},
               {"static"},
               {"DRAM energy"}});
  for (const result::UnitResult& u : r.units)
    t.add({u.name, u.kind, u.program.empty() ? "-" : one_line(u.program), std::to_string(u.operators),
           with_prefix(static_cast<double>(u.dram_read_B), "B"),
           with_prefix(static_cast<double>(u.dram_write_B), "B"), with_prefix(u.energy_J, "J"),
           with_prefix(u.static_J, "J"), with_prefix(u.dram_energy_J, "J")});
  return t.text();
}

}  // namespace

std::string json(const result::SystemResult& r, const Tool& tool, bool reproducible) {
  Json j = Json::object();
  j["schema"] = 1;
  j["tool"] = {{"version", tool.version}, {"commit", tool.commit}};
  j["system"] = {{"name", r.name},
                 {"time_s", number(r.total_s, "time_s")},
                 {"energy_J", number(r.energy_J, "energy_J")},
                 {"shared_static_J", number(r.shared_J, "shared_static_J")},
                 {"power_scope", r.power_scope}};
  Json& units = j["units"] = Json::object();
  for (const result::UnitResult& u : r.units) units[u.name] = unit_json(u);
  Json& programs = j["programs"] = Json::object();
  for (const result::ProgramResult& p : r.programs) {
    Json step = Json::parse(json(p.step, tool, reproducible));
    step.erase("schema");
    step.erase("tool");
    step["units"] = p.units;
    programs[p.name] = std::move(step);
  }
  Json& checks = j["checks"] = Json::array();
  for (const result::Check& c : r.checks)
    checks.push_back({{"name", c.name}, {"ok", c.ok}, {"detail", c.detail}});
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string text(const result::SystemResult& r) {
  std::string text = fmt::format(
      "System {}: {} programs at once on one memory, {} and {} until all have ended\n\n", one_line(r.name),
      r.programs.size(), with_prefix(r.total_s, "s"), with_prefix(r.energy_J, "J"));
  text += unit_table(r);
  text += fmt::format("  Static power of what they share: {}\n", with_prefix(r.shared_J, "J"));
  for (const result::Check& c : r.checks)
    if (!c.ok) text += fmt::format("CHECK FAILED: {}: {}\n", c.name, c.detail);
  for (const result::ProgramResult& p : r.programs) {
    std::string units;
    for (const std::string& unit : p.units) units += (units.empty() ? "" : ", ") + unit;
    text += fmt::format("\n--- Program {} on {} ---\n", one_line(p.name), units);
    text += report::text(p.step);
  }
  return text;
}

}  // namespace edgenpu::report
