// How a matrix product is worked through: the order of its loops, its tiles, what stays on the chip, and what
// that costs. rows (m) x outputs (n) x reduction (k).
//
//   activations   for blocks of m rows, held with their whole reduction: weights stream past in tiles of
//                 n outputs x k. With one block (all rows) weights are read once; a decode step.
//   weights       for blocks of n outputs, held with their whole reduction: rows stream past, m at a time.
//                 Weights are read once, activations once a block.
//   outputs       for blocks of m rows x n outputs, whose partial sums stay (fp32): both operands stream past
//                 in tiles of k. Activations are read once a column of blocks, weights once a row of blocks.
//
// Tiles of the reduction (k < all) leave partial sums in the scratchpad, read and written once for each tile
// after the first. Weights are assumed to lie in panels of whole passes of the engines, packed when the model
// is loaded, so that a tile of the reduction is one piece a panel; activations that were spilled lie in
// granules of rows (plan.h).
//
// search_product() enumerates orders, blocks and tiles that fit the working part of the scratchpad and takes
// the least, by (1) DRAM bytes, exact; (2) cycles that the engines need at least: array, decoder, port,
// scratchpad; (3) bytes that nothing hides, loaded when held blocks change, and results that leave at the
// very end; (4) partial sums' bytes. Neither clock nor memory decides, and what fits one scratchpad fits
// every larger one: so DRAM bytes never rise with it (tests/simulate/growth_test). The outputs of a load come
// from tile_choice.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "config/npu.h"

namespace edgenpu::lowering {

// Rows of spilled activations that lie together are a power of two up to this; blocks of rows are whole
// multiples of it, or a smaller power of two.
inline constexpr std::int64_t kLargestGranule = 16;
// The largest such block of at most `rows` rows.
std::int64_t whole_rows(std::int64_t rows);

// What is to be planned: products that read the same rows, taken together by one function (gate and up) or
// one alone.
struct Product {
  std::string name;
  std::int64_t rows = 1;               // of one copy
  std::int64_t copies = 1, extra = 0;  // matrices; the first `extra` see one row more
  std::int64_t n = 0, k = 0;
  std::int64_t k_unit = 0;  // tiles of the reduction are multiples of it; 0: it cannot be cut
  Bytes input_row{0};       // as operands
  bool inputs_in_dram = false, inputs_given = false;  // given: no operator makes them, so they must be read
  std::int64_t result_bytes = 0;                      // of one row and output, of all parts
  bool results_leave = false;  // to DRAM or to the function that follows, through the ring of results
  struct Part {
    Bytes row, bias;           // stored bytes of one output's weights; of all biases
    double rate = 1;           // products per multiplier and cycle
    std::int64_t decoded = 0;  // weights per cycle and engine; 0: no decoder
  };
  std::vector<Part> parts;

  std::int64_t most_rows() const { return rows + (extra > 0 ? 1 : 0); }
  Bytes row() const;   // of all parts
  Bytes bias() const;  // of all parts
};

struct ProductCost {
  Bytes once{0};   // weights, biases and given activations
  Bytes again{0};  // weights and activations read because they did not stay
  std::int64_t cycles = 0;
  Bytes exposed{0};                     // loaded while nothing computes
  Bytes sums{0};                        // partial sums read and written in the scratchpad
  Bytes held{0}, loads{0}, outputs{0};  // scratchpad
  Bytes dram() const { return once + again; }
  Bytes scratchpad() const { return held + loads + outputs; }
};

struct ProductPlan {
  config::LoopOrder order = config::LoopOrder::activations;
  std::int64_t m = 1, n = 1, k = 1;
  std::int64_t piece = 1;  // outputs of one load and one command; n but where a block holds several
  config::Split split = config::Split::outputs;
  ProductCost cost;
  // Outputs of a command. A held block of weights is taken several pieces at once, but by the first rows,
  // which load it, and the last, which give it back.
  std::int64_t width(const Product& p) const {
    return order == config::LoopOrder::weights && 2 * m < p.most_rows() ? n : piece;
  }
  std::int64_t tiles(const Product& p) const;
};

struct ProductChoice {
  ProductPlan plan;
  std::optional<ProductPlan> runner_up;  // the best of the other orders
};

// Outputs that one pass of the engines computes: tiles are multiples of it.
std::int64_t outputs_per_pass(const config::Npu& npu);

// Tiles of at most `most` of n outputs, as equal as whole passes of `pass` outputs let them be.
std::int64_t equal_tiles(std::int64_t n, std::int64_t most, std::int64_t pass);

// Outputs of a tile whose results leave, at most: what takes them has a small part of the product left to do
// when the product is done. The same for every scratchpad.
std::int64_t outputs_in_time(const Product& p, const config::Npu& npu);

// Bytes of activations that the engines read for a command of m rows and n outputs; `inputs` of them lie
// there. What one engine cannot keep is read again for each of its passes.
std::int64_t activation_bytes(const config::Npu& npu, std::int64_t inputs, std::int64_t m, std::int64_t n);

// Scratchpad and DRAM bytes of a plan, whether it fits or not; without cycles.
ProductCost bytes_of(const Product& p, const ProductPlan& plan);
// Cycles of the engines, all commands one after the other.
std::int64_t cycles_of(const Product& p, const ProductPlan& plan, const config::Npu& npu);

// Throws InfeasibleError if nothing fits `room`, with the least that would.
ProductChoice search_product(const Product& p, const config::Npu& npu, Bytes room,
                             const config::PlanOverride& wanted = {});

}  // namespace edgenpu::lowering
