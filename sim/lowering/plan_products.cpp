// Plans for the matrix products of a step, each distinct one searched once.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>

#include "base/error.h"
#include "base/rates.h"
#include "lowering/layout.h"
#include "lowering/plan.h"
#include "lowering/tile_choice.h"

namespace edgenpu::lowering {

using namespace workload;
using config::LoopOrder;

namespace {

std::size_t at(int op) {
  return static_cast<std::size_t>(op);
}

class Planner {
 public:
  Planner(Layout& layout, const Trace& trace, const config::Npu& npu, const Wishes& wishes)
      : layout_(layout), trace_(trace), npu_(npu), wishes_(wishes) {}

  void run() {
    layout_.product_of.assign(trace_.operators.size(), -1);
    for (int op = 0; op < static_cast<int>(trace_.operators.size()); ++op) {
      if (!std::holds_alternative<MatMul>(body(op)) || layout_.product_of[at(op)] >= 0) continue;
      const std::vector<int> parts = products_with(trace_, layout_, op);
      const int index = planned(parts);
      for (const int part : parts) layout_.product_of[at(part)] = index;
      layout_.products[at(index)].operators.push_back(op);
    }
  }

 private:
  const OperatorBody& body(int op) const { return trace_.operators[at(op)].body; }
  bool spilled(int op) const { return layout_.values[at(op)].place == Place::dram; }

  int planned(const std::vector<int>& parts) {
    PlannedProduct p{product_of(parts), {}, layout_.division, {}};
    const config::PlanOverride* wish = wish_of(parts);
    const auto [found, fresh] =
        known_.try_emplace(key_of(p.product, parts, wish), static_cast<int>(layout_.products.size()));
    if (!fresh) return found->second;
    if (wish || layout_.spills() || p.product.most_rows() > 1) {
      const Bytes room = npu_.scratchpad.size - layout_.division.fixed;
      p.choice = search_product(p.product, npu_, room, wish ? *wish : config::PlanOverride{});
      p.division = division_for(p.choice.plan.cost);
    } else {
      p.division.held += held_inputs(p.product);
      p.choice.plan = streaming(p.product, p.division);
    }
    layout_.products.push_back(p);
    return found->second;
  }

  // Where everything stays, that of all operators if it will do: the parts of another one lie where loads of
  // the product before may still be waited for.
  Division division_for(const ProductCost& cost) const {
    const Division& all = layout_.division;
    const bool enough =
        cost.held == Bytes(0) && cost.outputs <= all.outputs && cost.loads <= all.loads(npu_.scratchpad.size);
    if (!layout_.spills() && enough) return all;
    return {all.fixed, cost.held, cost.outputs};
  }

  const config::PlanOverride* wish_of(const std::vector<int>& parts) const {
    if (wishes_.empty()) return nullptr;
    const config::PlanOverride* wish = nullptr;
    for (const int part : parts) {
      const config::PlanOverride* mine = wishes_[at(part)];
      if (mine && wish && mine != wish)
        throw InfeasibleError(
            fmt::format("{}: lowering.plan has '{}' for it and '{}' for {}, but the activation that follows "
                        "takes them together",
                        trace_.operators[at(part)].name, mine->pattern, wish->pattern,
                        trace_.operators[at(parts[0])].name));
      if (mine) wish = mine;
    }
    return wish;
  }

  // Everything that a plan depends on.
  static std::string key_of(const Product& p, const std::vector<int>& parts,
                            const config::PlanOverride* wish) {
    std::string key = fmt::format("{} {} {} {} {} {} {} {} {} {} {}", p.rows, p.copies, p.extra, p.n, p.k,
                                  p.k_unit, p.input_row.count(), p.inputs_in_dram + p.inputs_given,
                                  p.results_leave, p.result_bytes, static_cast<const void*>(wish));
    for (const Product::Part& part : p.parts)
      key += fmt::format(" {} {} {} {}", part.row.count(), part.bias.count(), part.rate, part.decoded);
    return key + fmt::format(" {}", parts.size());
  }

  Product product_of(const std::vector<int>& parts) const {
    const auto& shape = std::get<MatMul>(body(parts[0]));
    Product p;
    p.name = trace_.operators[at(parts[0])].name;
    p.rows = shape.m + shape.extra / shape.copies;
    p.copies = shape.copies;
    p.extra = shape.extra % shape.copies;
    p.n = shape.n;
    p.k = shape.k;
    p.k_unit = shape.inputs > 0 ? 0 : fold();
    p.input_row = Bytes(shape.input_width() * operand_bytes(trace_.operators[at(parts[0])]));
    const auto& needs = trace_.operators[at(parts[0])].needs;
    p.inputs_given = input_bytes(trace_.operators[at(parts[0])]) > Bytes(0);
    p.inputs_in_dram = p.inputs_given || (!needs.empty() && spilled(needs[0]));
    for (const int op : parts) add_part(p, trace_.operators[at(op)]);
    const int next = follower(trace_, layout_.consumers, parts[0], layout_.follow);
    p.result_bytes = kResultBytes * static_cast<std::int64_t>(parts.size());
    if (next < 0) p.result_bytes = std::max(p.result_bytes, layout_.values[at(parts[0])].element);
    p.results_leave = next >= 0 ? layout_.division.outputs > Bytes(0) : spilled(parts[0]);
    return p;
  }

  // Elements of the reduction that an array takes in together.
  std::int64_t fold() const {
    switch (npu_.matrix.dataflow) {
      case config::Dataflow::dot_product:
        return npu_.matrix.columns;
      case config::Dataflow::weight_stationary:
        return npu_.matrix.rows;
      case config::Dataflow::output_stationary:
        return 1;
    }
    return 1;
  }

  void add_part(Product& p, const Operator& op) const {
    const auto& body = std::get<MatMul>(op.body);
    const FormatInfo& format = info(body.format);
    if (p.k_unit > 0) p.k_unit = std::lcm(p.k_unit, static_cast<std::int64_t>(format.block_elements));
    // A format or a pair that the engines lack is refused when commands are made.
    const auto rate = npu_.matrix.rate.find(operands_of(op).value());
    const auto decoded = npu_.matrix.decode.find(format.name);
    p.parts.push_back({body.stored_row(), body.bias_bytes, rate == npu_.matrix.rate.end() ? 1 : rate->second,
                       decoded == npu_.matrix.decode.end() ? 0 : decoded->second});
  }

  // A row that lies in memory is held while weights stream past.
  static Bytes held_inputs(const Product& p) {
    return p.inputs_given ? p.input_row * p.most_rows() : Bytes(0);
  }

  // Of one row where everything else stays: nothing to search, weights stream past in the loads of
  // tile_choice.h.
  ProductPlan streaming(const Product& p, const Division& division) const {
    ProductPlan plan;
    plan.k = p.k;
    plan.n = p.n;
    plan.split = npu_.matrix.split;
    const Bytes ring = division.loads(npu_.scratchpad.size);
    for (const Product::Part& part : p.parts) {
      const Bytes largest = npu_.tile > Bytes(0) ? std::min(npu_.tile, ring / 2) : ring / 2;
      if (part.row > largest)
        throw InfeasibleError(
            fmt::format("{}: one row of {} B does not fit a load of {} B (half of what the scratchpad of {} "
                        "B leaves beside "
                        "activations)",
                        p.name, part.row.count(), largest.count(), npu_.scratchpad.size.count()));
      plan.n = std::min(plan.n, choose_tile(npu_, part.row, ring, plan.n));
    }
    const std::int64_t pass = outputs_per_pass(npu_);
    if (p.results_leave) {
      plan.n = std::min(plan.n, outputs_in_time(p, npu_));
      const std::int64_t room = layout_.division.outputs.count() / (2 * p.result_bytes);
      const std::int64_t columns = std::max<std::int64_t>(1, room);
      plan.n = std::min(plan.n, columns >= pass ? columns / pass * pass : columns);
    }
    // A part of a pass takes as long as a whole one: no small rest after parts.
    if (plan.n < pass) plan.n = equal_tiles(p.n, plan.n, pass);
    plan.piece = plan.n;
    plan.cost = bytes_of(p, plan);
    plan.cost.loads = std::min(plan.cost.loads, ring);  // tiles of several parts may have to take turns
    plan.cost.cycles = cycles_of(p, plan, npu_);
    return plan;
  }

  Layout& layout_;
  const Trace& trace_;
  const config::Npu& npu_;
  const Wishes& wishes_;
  std::map<std::string, int> known_;
};

}  // namespace

std::vector<int> products_with(const Trace& trace, const Layout& layout, int op) {
  const int next = follower(trace, layout.consumers, op, layout.follow);
  const bool taken = next >= 0 && !std::holds_alternative<Sample>(trace.operators[at(next)].body);
  return taken ? trace.operators[at(next)].needs : std::vector<int>{op};
}

void plan_products(Layout& layout, const Trace& trace, const config::Npu& npu, const Wishes& wishes) {
  Planner(layout, trace, npu, wishes).run();
}

}  // namespace edgenpu::lowering
