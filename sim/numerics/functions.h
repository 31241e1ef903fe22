// Element-wise and row-wise functions of a transformer, in float32 with the sums in double, in the order of
// ggml's scalar loops: on the same inputs they give its floats.
//
// Left out: anything that is quantised; products with weights are in arithmetic.h.
#pragma once

#include <cstdint>

#include "numerics/architecture.h"
#include "numerics/rows.h"
#include "numerics/weights.h"

namespace edgenpu::numerics {

// Each stretch of `weights.scale.size()` elements of a row is normalised by itself: the whole row, or a head.
void normalise(NormKind kind, const NormWeights& weights, float eps, Rows& x);

// Turns the first rope.dims elements of each head. Row i stands at position first + i. `factors` (empty, or
// one for each pair) divide the frequencies.
void rotate(const Rope& rope, bool local, const Vector& factors, std::int64_t first, std::int64_t head_dim,
            Rows& x);

// A row of scores of which begin..end are seen and the others become 0. `length` is what the row is padded
// to.
struct Span {
  std::int64_t begin, end, length;
};

// exp(x * scale - max) / sum over the span.
void softmax(float* x, const Span& span, float scale);
// The same as ggml does it on any x86-64: the exponential below, four at a time, each four added in pairs.
void softmax_by_polynomial(float* x, const Span& span, float scale);

// A polynomial of degree 5 after range reduction by powers of two, within 1.5 units of the last place;
// infinities and 0 where float32 ends. Source: expf of Arm's Optimized Routines, whose coefficients ggml
// uses.
float exp_by_polynomial(float x);

// cap * tanh(x / cap).
void soft_cap(float cap, float* x, std::int64_t count);

float silu(float x);
float silu_by_polynomial(float x);
float gelu(float x);  // the tanh form, exact
// The tanh form through a table of all halves, as ggml's CPU does it: argument and result are rounded to f16.
float gelu_by_half(float x);

}  // namespace edgenpu::numerics
