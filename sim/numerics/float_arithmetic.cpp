#include "numerics/arithmetic.h"
#include "numerics/functions.h"
#include "numerics/parallel.h"

namespace edgenpu::numerics {
namespace {

// Rows decoded at a time: small enough to stay in the cache, and fixed, so that results do not depend on the
// number of cores.
constexpr std::int64_t kTile = 16;

class FloatArithmetic : public Arithmetic {
 public:
  Rows multiply(const Matrix& w, const Rows& x) const override {
    Rows out(x.rows(), w.rows);
    const std::int64_t tiles = (w.rows + kTile - 1) / kTile;
    parallel(tiles, w.rows * w.columns * (x.rows() + 4), [&](std::int64_t begin, std::int64_t end) {
      Rows tile(kTile, w.columns);
      for (std::int64_t t = begin; t < end; ++t) {
        const std::int64_t first = t * kTile, count = std::min(kTile, w.rows - first);
        decode(w.format, w.row(first), count * w.columns, tile.data());
        out.middleCols(first, count).noalias() = x * tile.topRows(count).transpose();
      }
    });
    return out;
  }

  Rows scores(const StoredHead& keys, const Rows& queries) const override {
    return queries * keys.decode_all().transpose();
  }

  Rows mix(const StoredHead& values, const Rows& weights) const override {
    return weights * values.decode_all();
  }
};

}  // namespace

void Arithmetic::softmax(float* x, const Span& span, float scale) const {
  numerics::softmax(x, span, scale);
}
float Arithmetic::silu(float x) const {
  return numerics::silu(x);
}
float Arithmetic::gelu(float x) const {
  return numerics::gelu(x);
}

std::unique_ptr<Arithmetic> make_float_arithmetic() {
  return std::make_unique<FloatArithmetic>();
}

}  // namespace edgenpu::numerics
