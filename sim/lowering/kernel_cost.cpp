#include "lowering/kernel_cost.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/rates.h"

namespace edgenpu::lowering {

using config::Instructions;
using namespace workload;

namespace {

double per_unit(std::int64_t elements) {
  return static_cast<double>(elements) / static_cast<double>(config::kKernelUnit);
}

}  // namespace

bool is_integer_product(Format weights) {
  return weights != Format::F32 && weights != Format::F16 && weights != Format::BF16;
}

const Instructions& CostModel::format(Format f, const std::string& name) const {
  const auto it = runtime_.kernels.formats.find(info(f).name);
  if (it != runtime_.kernels.formats.end()) return it->second;
  std::string known;
  for (const auto& [format, mix] : runtime_.kernels.formats) known += (known.empty() ? "" : ", ") + format;
  throw InfeasibleError(fmt::format("the runtime {} has no kernel for {} ({}); it has: {}", runtime_.name,
                                    info(f).name, name, known));
}

KernelCost CostModel::product(const MatMul& o, const std::string& name) const {
  const config::Kernels& k = runtime_.kernels;
  const double units = per_unit(o.n * o.k * o.copies);
  const auto rows = static_cast<double>(o.n * o.copies);
  const Instructions& per = format(o.format, name);
  KernelCost cost;
  cost.rows = o.n * o.copies;
  const bool batched = k.batch_from > 0 && o.m >= k.batch_from;
  const auto tiles = batched ? static_cast<double>(ceil_div(o.m, k.batch_tile)) : 0;
  const auto own = k.batch_formats.find(info(o.format).name);
  if (batched && own != k.batch_formats.end()) {
    cost.work = own->second * (units * static_cast<double>(o.m)) + k.row * (rows * tiles);
    return cost;
  }
  if (batched && k.batch_formats.empty()) {
    cost.work = per * (units * tiles) + k.row * rows;
    // Products at the rate that the format's own count gives (two for 16-bit operands); one where it gives
    // none.
    const double each = per.count[config::kTensor] / static_cast<double>(config::kKernelUnit);
    cost.work.count[config::kTensor] =
        static_cast<double>(o.m * o.n * o.k * o.copies) * (each > 0 ? each : 1);
    return cost;
  }
  const auto narrow = k.narrow_below.find(info(o.format).name);
  const bool is_narrow = narrow != k.narrow_below.end() && o.k < narrow->second;
  cost.work = (per * units + (is_narrow ? k.narrow_row : k.row) * rows) * static_cast<double>(o.m);
  return cost;
}

// Scores and weighted sum: a product each, over the format of the cache; an exponential per score.
KernelCost CostModel::attention(const Attention& o, const std::string& name) const {
  const double products = static_cast<double>(macs(OperatorBody(o)).count());
  const double scores = products / static_cast<double>(2 * o.head_dim);
  KernelCost cost;
  cost.work = format(o.kv_format, name) * (products / static_cast<double>(config::kKernelUnit)) +
              runtime_.kernels.functions.at(VectorFunction::softmax) * scores;
  cost.rows = o.heads * o.requests * o.m;
  if (const auto& in = runtime_.kernels.per_head) {
    const config::Kernels& k = runtime_.kernels;
    const std::int64_t passes = k.batch_from > 0 && o.m >= k.batch_from ? ceil_div(o.m, k.batch_tile) : o.m;
    const double elements = products / static_cast<double>(o.m) * static_cast<double>(passes);
    cost.work += *in * (elements / static_cast<double>(config::kKernelUnit));
    return cost;
  }
  if (runtime_.split == config::Runtime::Split::elements)
    cost.rows *= ceil_div(o.cached + o.m, runtime_.block_tokens);
  return cost;
}

KernelCost CostModel::elements(VectorFunction function, std::int64_t rows, std::int64_t width) const {
  const bool by_elements = runtime_.split == config::Runtime::Split::elements;
  // A norm needs its whole row: it cannot be split.
  const bool whole_rows = function == VectorFunction::rms_norm || function == VectorFunction::layer_norm;
  return {runtime_.kernels.functions.at(function) * static_cast<double>(rows * width),
          by_elements && !whole_rows ? ceil_div(rows * width, runtime_.block_elements) : rows};
}

KernelCost CostModel::quantisation(const MatMul& product) const {
  if (runtime_.quantise == config::Runtime::Quantise::none || !is_integer_product(product.format))
    return {{}, 0};
  // Blocks of a row are independent: the row is shared even where other functions are not.
  return {
      runtime_.kernels.functions.at(VectorFunction::quantise) * static_cast<double>(product.m * product.k),
      ceil_div(product.m * product.k, runtime_.block_elements)};
}

KernelCost CostModel::of(const Operator& op) const {
  struct Visitor {
    const CostModel& c;
    const std::string& name;
    KernelCost operator()(const Embed& o) const { return c.elements(VectorFunction::decode, o.m, o.width); }
    KernelCost operator()(const Norm& o) const {
      return c.elements(function_of(o.kind), o.m * o.heads, o.width);
    }
    KernelCost operator()(const MatMul& o) const { return c.product(o, name); }
    KernelCost operator()(const Rope& o) const {
      return c.elements(VectorFunction::rope, o.m * o.heads, o.head_dim);
    }
    KernelCost operator()(const Attention& o) const { return c.attention(o, name); }
    KernelCost operator()(const KvWrite& o) const {
      return c.elements(VectorFunction::quantise, o.m * o.kv_heads, 2 * o.head_dim);
    }
    KernelCost operator()(const Activation& o) const {
      KernelCost cost = c.elements(function_of(o.function), o.m, o.width);
      if (o.gated) cost.work += c.elements(VectorFunction::multiply, o.m, o.width).work;
      return cost;
    }
    KernelCost operator()(const Add& o) const { return c.elements(VectorFunction::add, o.m, o.width); }
    // One multiply-add for each of the experts' values.
    KernelCost operator()(const Combine& o) const {
      return c.elements(VectorFunction::add, o.m, o.active * o.width);
    }
    KernelCost operator()(const Route& o) const {
      return c.elements(VectorFunction::softmax, o.m, o.experts);
    }
    KernelCost operator()(const Sample& o) const { return c.elements(VectorFunction::argmax, o.m, o.vocab); }
  };
  return std::visit(Visitor{*this, op.name}, op.body);
}

}  // namespace edgenpu::lowering
