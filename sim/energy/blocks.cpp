#include "energy/blocks.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "base/error.h"

namespace edgenpu::energy {

namespace {

double multiple(AreaBasis basis, const Sizes& sizes) {
  switch (basis) {
    case AreaBasis::constant:
      return 1;
    case AreaBasis::per_multiplier:
      return static_cast<double>(sizes.multipliers);
    case AreaBasis::per_engine:
      return static_cast<double>(sizes.engines);
    case AreaBasis::per_lane:
      return static_cast<double>(sizes.lanes);
    case AreaBasis::per_scratchpad:
      return static_cast<double>(sizes.scratchpad.count());
    case AreaBasis::per_channel:
      return static_cast<double>(sizes.channels);
    case AreaBasis::per_core:
      return static_cast<double>(sizes.cores);
  }
  throw InternalError("unknown basis of an area");
}

// A component's blocks with the share of its power that flows in each.
using Shares = std::vector<std::pair<std::size_t, double>>;

std::size_t find_block(const std::vector<Block>& blocks, const std::string& name) {
  for (std::size_t i = 0; i < blocks.size(); ++i)
    if (blocks[i].name == name) return i;
  return blocks.size();
}

Shares shares_by_area(const std::vector<Block>& blocks, const std::vector<std::string>& on) {
  Shares shares;
  double all = 0;
  for (const std::string& name : on) {
    const std::size_t b = find_block(blocks, name);
    if (b == blocks.size()) continue;
    shares.emplace_back(b, blocks[b].area.value);
    all += blocks[b].area.value;
  }
  for (auto& [block, share] : shares) share /= all;
  return shares;
}

Shares shares_of(const std::string& component, const std::vector<Block>& blocks, const Table& table) {
  const std::string name = component == "regulator_loss" ? "regulator" : component;
  if (const std::size_t b = find_block(blocks, name); b < blocks.size()) return {{b, 1.0}};
  for (const Component& c : table.components) {
    if (c.name != component) continue;
    Shares shares = shares_by_area(blocks, c.on);
    if (!shares.empty()) return shares;
  }
  throw InputError(
      table.position,
      fmt::format(
          "the power of '{}' has no place: it needs an 'area', or 'blocks' with components that have one",
          name));
}

// The clock tree feeds blocks in proportion to their own energy in each window; evenly when nothing moves.
void feed_clocks(PowerTrace& out, const PowerTrace& in, std::size_t clock_tree, const Table& table,
                 const std::vector<Shares>& shares) {
  std::vector<std::size_t> fed;
  for (std::size_t c = 0; c < in.names.size(); ++c)
    if (std::count(table.clock_tree->of.begin(), table.clock_tree->of.end(), in.names[c])) fed.push_back(c);
  for (std::size_t w = 0; w < in.size(); ++w) {
    double all = 0;
    for (const std::size_t c : fed) all += in.energy[c][w];
    const double energy = in.energy[clock_tree][w];
    for (const std::size_t c : fed) {
      const double part = all > 0 ? in.energy[c][w] / all : 1.0 / static_cast<double>(fed.size());
      for (const auto& [block, share] : shares[c]) out.energy[block][w] += energy * part * share;
    }
  }
}

}  // namespace

std::vector<Block> blocks_of(const Table& table, const Sizes& sizes, Scope scope) {
  std::vector<Block> blocks;
  for (const Component& c : table.components) {
    if (c.areas.empty() || c.scope > scope) continue;
    Block b{c.name, c.scope, {}};
    for (const AreaTerm& term : c.areas) {
      const double n = multiple(term.basis, sizes);
      b.area.value += n * term.area.value;
      b.area.low += n * term.area.low;
      b.area.high += n * term.area.high;
    }
    if (b.area.value > 0) blocks.push_back(b);
  }
  const bool regulator = table.regulator_area && scope >= Scope::soc_dram;
  if (regulator)
    blocks.push_back({"regulator",
                      Scope::soc_dram,
                      {table.regulator_area->value, table.regulator_area->low, table.regulator_area->high}});
  return blocks;
}

Area die_area(const std::vector<Block>& blocks) {
  Area sum;
  for (const Block& b : blocks) {
    if (b.scope != Scope::die) continue;
    sum.value += b.area.value;
    sum.low += b.area.low;
    sum.high += b.area.high;
  }
  return sum;
}

PowerTrace by_block(const PowerTrace& in, const std::vector<Block>& blocks, const Table& table) {
  PowerTrace out{in.scope, in.window, in.time, {}, {}};
  for (const Block& b : blocks) out.names.push_back(b.name);
  out.energy.assign(blocks.size(), std::vector<double>(in.size(), 0));
  std::vector<Shares> shares;
  for (const std::string& name : in.names)
    shares.push_back(name == "clock_tree" ? Shares() : shares_of(name, blocks, table));
  for (std::size_t c = 0; c < in.names.size(); ++c) {
    if (in.names[c] == "clock_tree") {
      feed_clocks(out, in, c, table, shares);
      continue;
    }
    for (const auto& [block, share] : shares[c])
      for (std::size_t w = 0; w < in.size(); ++w) out.energy[block][w] += in.energy[c][w] * share;
  }
  return out;
}

}  // namespace edgenpu::energy
