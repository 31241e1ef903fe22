#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fmt/format.h>

#include "energy/dram_energy.h"
#include "simulate/description.h"

namespace edgenpu::simulate_detail {

namespace {

using config::Value;

struct Nodes {
  double low = 1e9, high = 0;

  bool any() const { return high > 0; }
  void add(double nm) {
    low = std::min(low, nm);
    high = std::max(high, nm);
  }
};

// "16/12 nm", "4 to 8 nm", "Samsung 8 nm": from the smallest to the largest.
Nodes nodes_of(const std::string& text) {
  Nodes nodes;
  std::vector<double> waiting;
  for (std::size_t i = 0; i < text.size();) {
    char* end = nullptr;
    const bool digit = std::isdigit(static_cast<unsigned char>(text[i]));
    const double x = digit ? std::strtod(text.c_str() + i, &end) : 0;
    if (digit) {
      waiting.push_back(x);
      i = static_cast<std::size_t>(end - text.c_str());
    } else if (text.compare(i, 2, "nm") == 0) {
      for (const double nm : waiting) nodes.add(nm);
      waiting.clear();
      i += 2;
    } else if (text[i] == ' ' || text[i] == '/' || text.compare(i, 2, "to") == 0) {
      i += text[i] == 't' ? 2 : 1;
    } else {
      waiting.clear();
      ++i;
    }
  }
  return nodes;
}

void note_process(const energy::Table& table, const Value& tree, std::vector<std::string>& notes) {
  const Value* process = tree.find("process");
  if (!process) return;
  const Nodes made = nodes_of(process->text()), priced = nodes_of(table.technology);
  if (!made.any() || !priced.any() || (made.low <= priced.high && priced.low <= made.high)) return;
  notes.push_back(fmt::format(
      "process '{}' is a name: prices, leakage and areas are those of the energy table's technology, '{}'",
      process->text(), table.technology));
}

void note_clock(const Device& device, const energy::Table& table, std::vector<std::string>& notes) {
  const energy::OperatingPoint *fastest = nullptr,
                               *enough = nullptr;  // `enough`: the slowest that is fast enough
  for (const energy::OperatingPoint& p : table.operating_points) {
    if (!fastest || fastest->clock < p.clock) fastest = &p;
    if (!(p.clock < device.clock()) && (!enough || p.clock < enough->clock)) enough = &p;
  }
  const auto megahertz = [](Hertz clock) { return static_cast<double>(clock.count()) * 1e-6; };
  if (fastest && !enough)
    notes.push_back(
        fmt::format("the clock of {:.6g} MHz is beyond the energy table's operating points, whose last is "
                    "{:.6g} MHz at {:.4g} V: what such a clock costs in voltage and area is not priced",
                    megahertz(device.clock()), megahertz(fastest->clock), fastest->voltage));
  if (fastest && fastest->voltage < table.voltage * (1 - 1e-9))
    notes.push_back(
        fmt::format("prices are for {:.4g} V, beyond the {:.4g} V of the energy table's last operating point",
                    table.voltage, fastest->voltage));
  if (enough && table.voltage < enough->voltage * (1 - 1e-9))
    notes.push_back(
        fmt::format("the energy table's operating points ask for {:.4g} V at {:.6g} MHz; prices are for "
                    "{:.4g} V",
                    enough->voltage, megahertz(device.clock()), table.voltage));
}

// What the table bills for an action in the DRAM itself, with its range.
config::Ranged device_price(const energy::Table& table, const std::string& action) {
  config::Ranged sum;
  for (const energy::Component& c : table.components)
    for (const energy::Charge& charge : c.charges)
      if (c.scope > energy::Scope::die && action == charge.action->name) {
        sum.value += charge.price.value;
        sum.low += charge.price.low;
        sum.high += charge.price.high;
      }
  return sum;
}

void note_price(const energy::Table& table, const std::string& memory, const char* action, const char* what,
                double own, double picojoules, std::vector<std::string>& notes) {
  const config::Ranged billed = device_price(table, action);
  if (billed.high <= 0 || (billed.low <= own && own <= billed.high)) return;
  notes.push_back(
      fmt::format("{} is billed at {:.4g} pJ (from {:.4g} to {:.4g}) by the energy table ({}); by its own "
                  "prices {} needs {:.4g} pJ",
                  what, billed.value * picojoules, billed.low * picojoules, billed.high * picojoules,
                  table.technology, memory, own * picojoules));
}

// A run is billed by the platform's table, whatever memory is put in.
void note_memory_prices(const Device& device, const energy::Table& table, const Value& tree,
                        std::vector<std::string>& notes) {
  const Value* section = config::find_path(tree, "memory.energy");
  if (!section || !section->is_map()) return;
  Diagnostics ignored;
  const energy::DramPrices own = energy::read_dram_prices(*section, ignored);
  const std::string& memory = device.memory().name;
  note_price(table, memory, "dram_read_bits", "a bit read from DRAM", own.read_core.value + own.read_io.value,
             1e12 / 8, notes);
  note_price(table, memory, "dram_activate", "a row of DRAM opened", own.activate.value, 1e12, notes);
}

// Refresh follows the one, leakage the other.
void note_temperatures(const energy::Table& table, const Value& tree, std::vector<std::string>& notes) {
  const Value* memory = config::find_path(tree, "memory.temperature");
  const Value* wanted = config::find_path(tree, "energy.operating_point.temperature");
  const bool leaks = table.conditions && table.conditions->leaks;
  if (!leaks || (!memory && !wanted) || (memory && wanted && memory->text() == wanted->text())) return;
  notes.push_back(fmt::format(
      "memory.temperature is {} and sets the refresh; energy.operating_point.temperature is {} and sets the "
      "leakage",
      memory ? memory->text() : "not given (45 C)",
      wanted ? wanted->text() : fmt::format("not given ({:.4g} C, as the prices)", table.temperature)));
}

}  // namespace

std::vector<std::string> description_notes(const Device& device, const energy::Table& table,
                                           const Value& tree) {
  std::vector<std::string> notes;
  if (!device.memory().confirmed)
    notes.push_back("the timings of " + device.memory().name + " are unconfirmed");
  note_process(table, tree, notes);
  note_clock(device, table, notes);
  note_memory_prices(device, table, tree, notes);
  note_temperatures(table, tree, notes);
  return notes;
}

}  // namespace edgenpu::simulate_detail
