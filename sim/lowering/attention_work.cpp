#include "lowering/attention_work.h"

#include <algorithm>

namespace edgenpu::lowering {

using workload::Attention;

bool sees(const Attention& body, const AttentionBlock& part, std::int64_t first, std::int64_t end) {
  const std::int64_t group = body.heads / body.kv_heads, position = body.cached + part.from - first;
  return Band{part.queries(), group, position, end - first, body.window}.visible() > 0;
}

MatrixWork product_work(Plan& plan, const Attention& body, const AttentionBlock& part, int which,
                        std::int64_t first, std::int64_t end) {
  end = std::clamp(body.cached + part.to, first + 1, end);  // later keys are not seen
  const std::int64_t group = body.heads / body.kv_heads, rows = group * part.queries();
  const Band band{part.queries(), group,       body.cached + part.from - first,
                  end - first,    body.window, which == 0};
  MatrixWork w;
  w.m = rows;
  w.n = which == 0 ? band.keys : body.head_dim;
  w.k = which == 0 ? body.head_dim : band.keys;
  w.weights = row_bytes(body.kv_format, body.head_dim) * band.keys;
  const std::int64_t inputs = rows * w.k * kAttentionBytes;
  w.activations =
      Bytes(plan.builder.products_on_cores() ? inputs : activation_bytes(plan.npu, inputs, rows, w.n));
  w.results = Bytes(rows * w.n * kResultBytes);
  if (band.visible() < band.keys * part.queries()) w.band = plan.builder.band(band);
  return w;
}

VectorWork softmax_work(const Builder& builder, const Attention& body, const AttentionBlock& part) {
  const std::int64_t group = body.heads / body.kv_heads;
  const Band scores{part.queries(), group, body.cached + part.from - part.first, part.keys(), body.window};
  std::int64_t words = 0;
  for (std::int64_t t = 0; t < scores.tokens; ++t) words += builder.words(group, scores.visible(t));
  const std::int64_t elements = group * scores.visible();
  const Bytes bytes(elements * kResultBytes);
  VectorWork work{elements, 1, bytes, bytes};
  charge(work, builder.cost(vocabulary::VectorFunction::softmax), words);
  return work;
}

Bytes sums_of(const Attention& body, const AttentionBlock& part) {
  return Bytes(body.heads / body.kv_heads * part.queries() * body.head_dim * kResultBytes);
}

VectorWork rescale_work(const Builder& builder, const Attention& body, const AttentionBlock& part) {
  const Bytes sums = sums_of(body, part);
  return {sums / Bytes(kResultBytes), builder.operations(vocabulary::VectorFunction::rescale), sums, sums};
}

}  // namespace edgenpu::lowering
