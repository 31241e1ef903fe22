#include "simulate/plan_table.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "base/rates.h"
#include "lowering/layout.h"
#include "lowering/lower.h"
#include "lowering/memory_map.h"
#include "simulate/operator_rows.h"

namespace edgenpu::simulate_detail {

using config::LoopOrder;
using lowering::Layout;
using lowering::Place;
using lowering::PlannedProduct;
using lowering::ProductPlan;
using result::Cell;
using workload::Operator;

namespace {

constexpr const char* kColumns[] = {
    "operator",    "layers",      "operators",     "kind",        "m",
    "n",           "k",           "order",         "tile_m",      "tile_n",
    "tile_k",      "tiles",       "split",         "inputs",      "weights",
    "results",     "once_B",      "again_B",       "spill_B",     "scratchpad_B",
    "dram_B",      "cycles",      "lower_bound_s", "next_order",  "next_tile_m",
    "next_tile_n", "next_tile_k", "next_dram_B",   "next_cycles", "operands",
    "runs_on"};
constexpr std::size_t kLayers = 1, kOperators = 2;

std::size_t at(int op) {
  return static_cast<std::size_t>(op);
}

struct Moved {
  std::int64_t once = 0, again = 0, spilled = 0;
};

std::vector<Moved> moved_by(const lowering::Program& p) {
  std::vector<Moved> moved(at(p.operators));
  for (const lowering::Command& c : p.commands) {
    if (c.unit != lowering::Unit::load && c.unit != lowering::Unit::store) continue;
    const lowering::Transfer& t = p.transfers[at(c.work)];
    Moved& m = moved[at(activity::index(c.op))];
    const std::int64_t bytes = t.total().count();
    if (t.purpose == lowering::Purpose::spill)
      m.spilled = checked_add(m.spilled, bytes);
    else if (t.purpose == lowering::Purpose::again)
      m.again = checked_add(m.again, bytes);
    else if (c.unit == lowering::Unit::load)
      m.once = checked_add(m.once, bytes);
  }
  return moved;
}

// "0-3,7" of layers in order.
std::string ranges(const std::vector<int>& layers) {
  std::string text;
  for (std::size_t i = 0; i < layers.size();) {
    std::size_t end = i + 1;
    while (end < layers.size() && layers[end] == layers[end - 1] + 1) ++end;
    if (!text.empty()) text += ",";
    text += end - i > 1 ? fmt::format("{}-{}", layers[i], layers[end - 1]) : std::to_string(layers[i]);
    i = end;
  }
  return text;
}

class Writer {
 public:
  Writer(const workload::Trace& trace, const config::Npu& npu)
      : trace_(trace),
        npu_(npu),
        layout_(lowering::choose_layout(trace, npu, lowering::map_memory(trace, npu.memory, npu.kv_page).end,
                                        lowering::wishes_of(trace, npu))),
        moved_(moved_by(lowering::lower(trace, npu))) {}

  result::Table table() {
    result::Table t;
    t.columns.assign(std::begin(kColumns), std::end(kColumns));
    std::map<std::string, std::size_t> known;
    std::vector<std::vector<int>> layers;
    for (int op = 0; op < static_cast<int>(trace_.operators.size()); ++op) {
      std::vector<Cell> row = cells(op);
      std::string key;
      for (const Cell& cell : row) key += result::to_text(cell) + "|";
      const auto [found, fresh] = known.emplace(key, t.rows.size());
      if (fresh) {
        t.rows.push_back(std::move(row));
        layers.emplace_back();
      }
      layers[found->second].push_back(trace_.operators[at(op)].layer);
    }
    for (std::size_t i = 0; i < t.rows.size(); ++i) {
      if (layers[i][0] >= 0) t.rows[i][kLayers] = ranges(layers[i]);
      t.rows[i][kOperators] = static_cast<std::int64_t>(layers[i].size());
    }
    return t;
  }

 private:
  std::vector<Cell> cells(int op) const {
    const Operator& o = trace_.operators[at(op)];
    std::vector<Cell> row{lowering::name_within_layer(o), {}, {}, std::string(workload::kind_name(o.body))};
    const auto* product = std::get_if<workload::MatMul>(&o.body);
    const PlannedProduct* planned = product ? &layout_.planned_of(op) : nullptr;
    row.emplace_back(lowering::rows_of(o.body));
    row.push_back(product ? Cell(product->n) : Cell());
    row.push_back(product ? Cell(product->k) : Cell());
    if (planned)
      add_plan(row, *planned);
    else
      add_rows(row, op);
    add_places(row, op, planned);
    const Moved& m = moved_[at(op)];
    row.insert(row.end(), {Cell(m.once), Cell(m.again), Cell(m.spilled)});
    if (planned)
      add_cost(row, *planned);
    else
      row.resize(std::size(kColumns));
    const auto operands = o.runs_on == workload::RunsOn::cores ? std::nullopt : workload::operands_of(o);
    row.end()[-2] = Cell(std::string(operands ? name_of(*operands) : ""));
    row.end()[-1] = Cell(std::string(runs_on(o)));
    return row;
  }

  static void add_plan(std::vector<Cell>& row, const PlannedProduct& p) {
    const ProductPlan& plan = p.choice.plan;
    row.insert(row.end(), {order(plan), Cell(plan.m), Cell(plan.n), Cell(plan.k), Cell(plan.tiles(p.product)),
                           Cell(config::splits()[static_cast<std::size_t>(plan.split)])});
  }

  void add_rows(std::vector<Cell>& row, int op) const {
    const std::int64_t rows = lowering::rows_of(trace_.operators[at(op)].body);
    const std::int64_t chunk = std::min(rows, lowering::chunk_rows(layout_, trace_, npu_, op));
    row.insert(row.end(), {Cell(), Cell(chunk), Cell(), Cell(), Cell(ceil_div(rows, chunk)), Cell()});
  }

  void add_places(std::vector<Cell>& row, int op, const PlannedProduct* p) const {
    const auto place = [&](int value) {
      switch (layout_.values[at(value)].place) {
        case Place::dram:
          return "DRAM";
        case Place::passing:
          return "passing";
        case Place::scratchpad:
          return "chip";
        case Place::nowhere:
          break;
      }
      return "";
    };
    const auto& needs = trace_.operators[at(op)].needs;
    const bool given = workload::input_bytes(trace_.operators[at(op)]) > Bytes(0);
    std::string inputs = !needs.empty() ? place(needs[0]) : given ? "DRAM" : "", weights;
    if (p) {
      const LoopOrder order = p->choice.plan.order;
      if (p->product.inputs_in_dram) inputs = order == LoopOrder::activations ? "held" : "streamed";
      weights = order == LoopOrder::weights ? "held" : "streamed";
    }
    row.insert(row.end(), {Cell(inputs), Cell(weights), Cell(std::string(place(op)))});
  }

  void add_cost(std::vector<Cell>& row, const PlannedProduct& p) const {
    const lowering::ProductCost& cost = p.choice.plan.cost;
    const double compute = static_cast<double>(cost.cycles) / static_cast<double>(npu_.clock.count());
    const double memory =
        npu_.memory.ideal ? 0 : static_cast<double>(cost.dram().count()) / npu_.memory.peak().count();
    row.insert(row.end(), {Cell(cost.scratchpad().count()), Cell(cost.dram().count()), Cell(cost.cycles),
                           Cell(std::max(compute, memory))});
    const auto& next = p.choice.runner_up;
    if (next)
      row.insert(row.end(), {order(*next), Cell(next->m), Cell(next->n), Cell(next->k),
                             Cell(next->cost.dram().count()), Cell(next->cost.cycles)});
    row.resize(std::size(kColumns));
  }

  static Cell order(const ProductPlan& plan) {
    return Cell(config::loop_orders()[static_cast<std::size_t>(plan.order)]);
  }

  const workload::Trace& trace_;
  const config::Npu& npu_;
  Layout layout_;
  std::vector<Moved> moved_;
};

}  // namespace

result::Table plan_table(const workload::Trace& trace, const config::Npu& npu) {
  result::Table table = Writer(trace, npu).table();
  if (const std::string note = workload::stand_in_note(trace); !note.empty()) table.notes.push_back(note);
  return table;
}

}  // namespace edgenpu::simulate_detail
