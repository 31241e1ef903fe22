#include "lowering/plan.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/error.h"
#include "base/rates.h"

namespace edgenpu::lowering {

using namespace workload;

namespace {

std::size_t at(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

Dependencies Plan::after(int op, Rows rows) const {
  std::vector<int> commands;
  const auto& granules = ready[at(op)];
  for (std::int64_t g = rows.first / layout.granule; g * layout.granule < rows.end(); ++g)
    if (at(g) < granules.size())
      commands.insert(commands.end(), granules[at(g)].begin(), granules[at(g)].end());
  std::sort(commands.begin(), commands.end());
  commands.erase(std::unique(commands.begin(), commands.end()), commands.end());
  Dependencies waits;
  for (const int command : commands) waits.push_back({command, Wait::data});
  return waits;
}

Dependencies Plan::displacing(int op) const {
  Dependencies waits;
  for (const int before : layout.displaced[at(op)])
    for (const int reader : layout.consumers[at(before)])
      if (last[at(reader)] >= 0) waits.push_back({last[at(reader)], Wait::space});
  return waits;
}

void Plan::completes(int op, Rows rows, int command) {
  auto& granules = ready[at(op)];
  const std::int64_t end = ceil_div(rows.end(), layout.granule);
  if (static_cast<std::int64_t>(granules.size()) < end) granules.resize(at(end));
  for (std::int64_t g = rows.first / layout.granule; g < end; ++g) granules[at(g)].push_back(command);
}

Brought Plan::bring(int producer, Rows rows, Bytes bytes, bool held, bool known) {
  const Value& v = value(producer);
  const Dependencies waits = known ? Dependencies{} : after(producer, rows);
  if (v.place != Place::dram) return {waits, {}};
  return load_rows(v, rows, bytes, waits, held, Purpose::again);
}

Brought Plan::bring_columns(int producer, Rows rows, std::int64_t count, Rows columns, bool held,
                            bool known) {
  const Value& v = value(producer);
  const Dependencies waits = known ? Dependencies{} : after(producer, rows);
  if (v.place != Place::dram) return {waits, {}};
  return load_columns(v, rows, count, columns, waits, held, Purpose::again);
}

Brought Plan::bring_given(int op, Rows rows, Rows columns, bool held, Purpose purpose) {
  const std::int64_t address = map.inputs[at(op)];
  if (address < 0) return {};
  const auto& product = std::get<MatMul>(trace.operators[at(op)].body);
  const Value v{product.rows(), product.input_width(), operand_bytes(trace.operators[at(op)]), Place::dram,
                address};
  if (columns.count == v.row().count()) return load_rows(v, rows, v.row() * rows.count, {}, held, purpose);
  return load_columns(v, rows, rows.count, columns, {}, held, purpose);
}

Brought Plan::bring_operands(int o, Rows rows) {
  const std::int64_t address = map.inputs[at(o)];
  if (address < 0) return {};
  const Bytes row = given_row_bytes(op(o));
  if (row * rows.count > builder.loads_size())
    throw InfeasibleError(
        fmt::format("{}: {} B of what it takes, which lie in memory, do not fit the {} B that loads have in "
                    "the scratchpad",
                    op(o).name, (row * rows.count).count(), builder.loads_size().count()));
  const int load = builder.load({address + (row * rows.first).count(), row * rows.count, 1, Bytes(0)});
  return {{{load, Wait::data}}, {load}};
}

Brought Plan::bring_given_queries(int o, Rows rows, Bytes bytes) {
  const auto& body = std::get<Attention>(op(o).body);
  const Value v{body.requests * body.m, body.heads * body.head_dim, kAttentionBytes, Place::dram,
                map.inputs[at(o)]};
  return load_rows(v, rows, bytes, {}, true, Purpose::once);
}

Brought Plan::load_rows(const Value& v, Rows rows, Bytes bytes, const Dependencies& waits, bool held,
                        Purpose purpose) {
  // A chunk of rows lies in one piece.
  const std::int64_t last_start = std::max<std::int64_t>(0, (v.bytes() - bytes).count());
  const Transfer t{v.address + std::min(rows.first * v.row().count(), last_start), bytes, 1, Bytes(0),
                   purpose};
  const int load = held ? builder.hold(t, waits) : builder.load(t, waits);
  return {{{load, Wait::data}}, {load}};
}

// Of each granule of rows one piece: it keeps the columns of a block together (store()).
Brought Plan::load_columns(const Value& v, Rows rows, std::int64_t count, Rows columns,
                           const Dependencies& waits, bool held, Purpose purpose) {
  Brought brought;
  const std::int64_t g = layout.granule, row = v.row().count();
  const auto piece = [&](std::int64_t first, std::int64_t height, std::int64_t pieces) {
    const std::int64_t bytes = height * columns.count;
    const std::int64_t last_start = v.bytes().count() - (pieces - 1) * g * row - bytes;
    const std::int64_t address = v.address + std::clamp<std::int64_t>(first * row + height * columns.first, 0,
                                                                      std::max<std::int64_t>(0, last_start));
    const Transfer t{address, Bytes(bytes), pieces, Bytes(pieces > 1 ? g * row : 0), purpose};
    const int load = held ? builder.hold(t, waits) : builder.load(t, waits);
    brought.loads.push_back(load);
    brought.waits.push_back({load, Wait::data});
  };
  const std::int64_t whole = rows.first % g == 0 ? count / g : 0;
  if (whole > 0) piece(rows.first, g, whole);
  if (count > whole * g) piece(rows.first + whole * g, count - whole * g, 1);
  return brought;
}

void Plan::frees(const Brought& brought, int command) {
  for (const int load : brought.loads) builder.frees(load, command);
}

int Plan::reserve(int op, Rows rows, std::int64_t columns, Dependencies& waits) {
  const Dependencies space = displacing(op);
  if (value(op).place != Place::dram) {
    waits.insert(waits.end(), space.begin(), space.end());
    return -1;
  }
  return builder.reserve(Bytes(rows.count * columns * value(op).element), waits);
}

void Plan::deliver(int op, Rows rows, std::int64_t from, std::int64_t to, int reserved, int command) {
  if (value(op).place == Place::dram) return store(op, rows, from, to, reserved, command);
  // Columns come in order from one unit: the last ones complete the rows.
  if (to == value(op).width) completes(op, rows, command);
}

// In DRAM the rows of a granule lie together, the columns of one block of results after the other: so both
// the blocks that are written and the chunks of rows that are read are long pieces.
void Plan::store(int op, Rows rows, std::int64_t from, std::int64_t to, int reserved, int command) {
  const Value& v = value(op);
  const std::int64_t g = layout.granule, row = v.row().count(), columns = to - from;
  Dependencies waits{{command, Wait::data}};
  // Stores start in order: only the first one has to wait for its place.
  if (!stored[at(op)]) {
    const Dependencies space = displacing(op);
    waits.insert(waits.end(), space.begin(), space.end());
  }
  stored[at(op)] = true;
  const auto piece = [&](std::int64_t first, std::int64_t height, std::int64_t count) {
    const std::int64_t address = v.address + first * row + height * from * v.element;
    return builder.store(
        {address, Bytes(height * columns * v.element), count, Bytes(g * row), Purpose::spill}, waits);
  };
  int stored = -1;
  const std::int64_t whole = rows.first % g == 0 ? rows.count / g : 0;
  if (whole > 0) stored = piece(rows.first, g, whole);
  const std::int64_t rest = rows.count - whole * g;
  if (rest > 0) {
    if (stored >= 0) completes(op, {rows.first, whole * g}, stored);
    stored = piece(rows.first + whole * g, rest, 1);
  }
  completes(op, rows, stored);
  builder.releases(reserved, stored);
  last[at(op)] = std::max(last[at(op)], stored);
}

VectorCost Plan::operand_cost(int op) const {
  for (const int reader : layout.consumers[at(op)]) {
    const bool product = std::holds_alternative<MatMul>(trace.operators[at(reader)].body);
    // To int8: scale by the largest magnitude; to a 16-bit float: a conversion on the way out costs nothing.
    if (product && operand_bytes(trace.operators[at(reader)]) == 1)
      return builder.cost(VectorFunction::quantise);
  }
  return {};
}

}  // namespace edgenpu::lowering
