// One product of a weight row with an activation row as an engine computes it. Internal to the room.
#pragma once

#include <cstdint>
#include <vector>

#include "numerics/accumulator.h"
#include "numerics/dot.h"
#include "numerics/npu_options.h"

namespace edgenpu::numerics {

// An activation row as integers with one factor for each `block` elements.
struct NpuActivations {
  std::int64_t block;
  std::vector<std::int8_t> q;
  std::vector<float> d;
};

// block: of the weight format, 32 or 256.
NpuActivations round_for(const NpuArithmetic& engine, Rounding8 partner, const float* x, std::int64_t count);

// Floats added in a narrow format, put away every tile_k elements.
class PartialSum {
 public:
  explicit PartialSum(const NpuArithmetic& engine) : format_(engine.partial_sums), tile_(engine.tile_k) {}

  void add(float part) { sum_ = round(sum_ + round(part)); }
  // To be called when `done` elements of the row are in.
  void at(std::int64_t done) {
    if (tile_ == 0 || done % tile_ != 0) return;
    stored_ = round(stored_ + sum_);
    sum_ = 0;
  }
  float total() const { return round(stored_ + sum_); }

 private:
  float round(float x) const;

  SumFormat format_;
  std::int64_t tile_;
  float sum_ = 0, stored_ = 0;
};

// scale_at accumulator or group.
float npu_dot(const NpuArithmetic& engine, const BlockShape& shape, const UnpackedRow& w,
              const NpuActivations& x);

// A row of 8-bit integers with one factor.
struct RowOfBytes {
  std::vector<std::int8_t> q;
  float d;
};
RowOfBytes one_factor(const float* values, std::int64_t count, int bits);
// scale_at row.
float npu_dot(const NpuArithmetic& engine, const RowOfBytes& w, const RowOfBytes& x);

// Half operands: products exact in float32, added one by one.
float npu_dot(const NpuArithmetic& engine, const float* a, const float* b, std::int64_t count);

}  // namespace edgenpu::numerics
