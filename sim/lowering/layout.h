// Where the results of a step's operators lie, and how the scratchpad is divided for it. Three layouts, tried
// in this order:
//
//   resident   every operator of a layer has a place of its own, taken over by the same operator of the next
//              layer; the rest of the scratchpad is the ring of loads. Decode.
//   compact    a place is taken over as soon as its value is no longer needed, and an activation follows its
//              products tile by tile. Batches.
//   spilling   values that do not fit at most a quarter of the scratchpad are written to DRAM and read again,
//              some rows at a time; products have a plan each (product_plan.h). How much is kept for values
//              is the choice with the least DRAM traffic. Prefill.
//
// Values of the same name in different layers share their kind of place; the smallest are kept. Errors:
// InfeasibleError if not even one row of an operator fits, with the operator and the bytes.
#pragma once

#include <vector>

#include "config/npu.h"
#include "lowering/builder.h"
#include "lowering/product_plan.h"
#include "lowering/values.h"
#include "lowering/wishes.h"

namespace edgenpu::lowering {

// The plan of a matrix product, or of those that one function takes together.
struct PlannedProduct {
  Product product;
  ProductChoice choice;
  Division division;           // of the scratchpad while it runs
  std::vector<int> operators;  // the first of each group of products that it stands for
};

struct Layout {
  Division division;
  Bytes scores{0};           // two blocks of attention scores; in division.fixed unless values spill
  std::int64_t granule = 1;  // rows of spilled values that lie together: kLargestGranule, or a divisor
  bool shared = false;       // places are shared: results are stored as their readers need them
  config::Fusion follow{false, false, false};
  Consumers consumers;
  std::vector<Value> values;
  // [operator] operators whose results lay where its own is put, or was read from there.
  std::vector<std::vector<int>> displaced;
  Bytes spill{0};  // DRAM for spilled values
  std::vector<PlannedProduct> products;
  std::vector<int> product_of;  // [operator] index into `products`; -1: none
  const PlannedProduct& planned_of(int op) const {
    return products[static_cast<std::size_t>(product_of[static_cast<std::size_t>(op)])];
  }
  bool spills() const { return spill > Bytes(0); }
};

// spill_base: DRAM address behind weights and caches.
Layout choose_layout(const workload::Trace& trace, const config::Npu& npu, std::int64_t spill_base,
                     const Wishes& wishes = {});

// Bytes of results in the resident layout: of the largest layer and of what lies outside layers.
Bytes resident_bytes(const workload::Trace& trace, const Consumers& consumers);

// Fills in `products`: searched where values spill or a wish is there, otherwise weights stream past once.
void plan_products(Layout& layout, const workload::Trace& trace, const config::Npu& npu,
                   const Wishes& wishes);

// DRAM bytes, both ways, of a step in a layout with its plans: what its commands move.
Bytes traffic_of(const Layout& layout, const workload::Trace& trace, const config::Npu& npu);

// The products that are lowered with `op`, a product: those of the activation that follows it, or itself.
std::vector<int> products_with(const workload::Trace& trace, const Layout& layout, int op);

// Largest number of rows that one chunk of `op` may have, so that two of its inputs and two of its results
// fit.
std::int64_t row_limit(const Layout& layout, const workload::Trace& trace, const config::Npu& npu, int op);

// Rows of one command of `op`: a power of two that fits; for each vector pipeline its part of
// lowering.vector_command of results, but four rows at least, if they fit, however wide.
std::int64_t chunk_rows(const Layout& layout, const workload::Trace& trace, const config::Npu& npu, int op);

// Queries (tokens) of attention `op` that one pass over its keys serves; less than one: none fit.
std::int64_t query_block(const Layout& layout, const workload::Trace& trace, const config::Npu& npu, int op);

// DRAM bytes that one row of a vector operator reads from inputs that were spilled or that no operator makes.
std::int64_t spilled_row_bytes(const Layout& layout, const workload::Trace& trace, int op);

}  // namespace edgenpu::lowering
