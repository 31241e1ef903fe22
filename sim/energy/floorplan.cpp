#include "energy/floorplan.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

#include "base/suggest.h"
#include "config/reader.h"

namespace edgenpu::energy {

namespace {

constexpr double kGrid = 1e-9;
constexpr config::RealRange kCoordinate{0, 1}, kSide{kGrid, 1};

struct Item {
  std::size_t block;
  double area;
};

struct Box {
  double x, y, width, height;
};

double on_grid(double metres) {
  return std::round(metres / kGrid) * kGrid;
}

// The worst aspect ratio of items [first, last) laid along a side.
double worst(const std::vector<Item>& items, std::size_t first, std::size_t last, double side) {
  double sum = 0, low = items[first].area, high = items[first].area;
  for (std::size_t i = first; i < last; ++i) {
    sum += items[i].area;
    low = std::min(low, items[i].area);
    high = std::max(high, items[i].area);
  }
  const double depth = sum / side;
  return std::max(depth * depth / low, high / (depth * depth));
}

// Bruls, Huizing and van Wijk, Squarified Treemaps, 2000: rows along the shorter side, grown while that makes
// their worst aspect ratio better.
void squarify(std::vector<Item> items, Box box, std::vector<Box>& places) {
  std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
    return a.area != b.area ? a.area > b.area : a.block < b.block;
  });
  for (std::size_t first = 0; first < items.size();) {
    const double side = std::min(box.width, box.height);
    std::size_t last = first + 1;
    while (last < items.size() && worst(items, first, last + 1, side) <= worst(items, first, last, side))
      ++last;
    const double sum = std::accumulate(items.begin() + static_cast<std::ptrdiff_t>(first),
                                       items.begin() + static_cast<std::ptrdiff_t>(last), 0.0,
                                       [](double s, const Item& i) { return s + i.area; });
    const bool columns = box.width >= box.height;  // the row stands along the height
    const double depth = last == items.size() ? (columns ? box.width : box.height) : sum / side;
    double at = 0;
    for (std::size_t i = first; i < last; ++i) {
      const double length = i + 1 == last ? side - at : side * items[i].area / sum;
      places[items[i].block] =
          columns ? Box{box.x, box.y + at, depth, length} : Box{box.x + at, box.y, length, depth};
      at += length;
    }
    box = columns ? Box{box.x + depth, box.y, box.width - depth, box.height}
                  : Box{box.x, box.y + depth, box.width, box.height - depth};
    first = last;
  }
}

Placed placed(const std::string& name, const Box& box) {
  const double x0 = on_grid(box.x), y0 = on_grid(box.y);
  return {name, x0, y0, on_grid(box.x + box.width) - x0, on_grid(box.y + box.height) - y0};
}

bool overlap(const Placed& a, const Placed& b) {
  constexpr double slack = kGrid / 2;
  return a.x + a.width > b.x + slack && b.x + b.width > a.x + slack && a.y + a.height > b.y + slack &&
         b.y + b.height > a.y + slack;
}

Placed read_place(const config::Value::Entry& e, Diagnostics& out) {
  config::MapReader r(e.value, out, "the block " + e.key, config::Provenance::optional);
  const auto at = [&](const char* key, const config::RealRange& range) {
    return r.quantity(key, config::unit::length, range);
  };
  const Box box{at("x", kCoordinate), at("y", kCoordinate), at("width", kSide), at("height", kSide)};
  r.finish();
  return placed(e.key, box);
}

}  // namespace

std::vector<Placed> pack(const std::vector<Block>& blocks) {
  std::vector<Box> places(blocks.size() + 1);
  std::vector<Item> die, board;
  double die_sum = 0, sum = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const double area = blocks[i].area.value;
    sum += area;
    if (blocks[i].scope == Scope::die) {
      die.push_back({i, area});
      die_sum += area;
    } else {
      board.push_back({i, area});
    }
  }
  if (sum <= 0) return {};
  const std::size_t whole_die = blocks.size();
  if (die_sum > 0) board.push_back({whole_die, die_sum});
  const double side = std::sqrt(sum);
  squarify(board, {0, 0, side, side}, places);
  if (die_sum > 0) squarify(die, places[whole_die], places);
  std::vector<Placed> plan;
  for (std::size_t i = 0; i < blocks.size(); ++i) plan.push_back(placed(blocks[i].name, places[i]));
  return plan;
}

std::vector<Placed> read_floorplan(const config::Value& description, const std::vector<Block>& blocks) {
  Diagnostics out;
  config::MapReader root(description, out, "the floorplan", config::Provenance::optional);
  std::vector<std::string> names;
  for (const Block& b : blocks) names.push_back(b.name);
  std::vector<Placed> plan(blocks.size());
  if (const config::Value* map = root.map("blocks")) {
    for (const config::Value::Entry& e : map->entries()) {
      const auto at = std::find(names.begin(), names.end(), e.key);
      if (at == names.end())
        out.add(e.key_position, fmt::format("there is no block '{}'; there are: {}{}", e.key, join(names),
                                            did_you_mean(e.key, names)));
      else
        plan[static_cast<std::size_t>(at - names.begin())] = read_place(e, out);
    }
    for (std::size_t i = 0; i < names.size(); ++i)
      if (!map->find(names[i])) out.add(map->position(), fmt::format("block '{}' has no place", names[i]));
  }
  root.finish();
  out.throw_if_any();
  for (std::size_t i = 0; i < plan.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (overlap(plan[i], plan[j]))
        throw InputError(description.position(),
                         fmt::format("blocks '{}' and '{}' overlap", plan[j].name, plan[i].name));
  return plan;
}

Extent extent(const std::vector<Placed>& plan) {
  Extent e;
  for (const Placed& p : plan) {
    e.width = std::max(e.width, p.x + p.width);
    e.height = std::max(e.height, p.y + p.height);
  }
  return e;
}

}  // namespace edgenpu::energy
