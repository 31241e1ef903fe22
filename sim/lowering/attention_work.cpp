#include "lowering/attention_work.h"

namespace edgenpu::lowering {

using workload::Attention;

VectorWork softmax_work(const Builder& builder, const Attention& body, const AttentionBlock& part) {
  const std::int64_t group = body.heads / body.kv_heads;
  const Band scores{part.queries(), group, body.cached + part.from - part.first, part.keys(), body.window};
  std::int64_t words = 0;
  for (std::int64_t t = 0; t < scores.tokens; ++t) words += builder.words(group, scores.visible(t));
  const std::int64_t elements = group * scores.visible();
  const Bytes bytes(elements * kResultBytes);
  VectorWork work{elements, 1, bytes, bytes};
  charge(work, builder.cost("softmax"), words);
  return work;
}

Bytes sums_of(const Attention& body, const AttentionBlock& part) {
  return Bytes(body.heads / body.kv_heads * part.queries() * body.head_dim * kResultBytes);
}

VectorWork rescale_work(const Builder& builder, const Attention& body, const AttentionBlock& part) {
  const Bytes sums = sums_of(body, part);
  return {sums / Bytes(kResultBytes), builder.operations("rescale"), sums, sums};
}

}  // namespace edgenpu::lowering
