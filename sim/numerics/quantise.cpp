#include "numerics/quantise.h"

#include <cmath>

#include "base/error.h"
#include "numerics/activation.h"
#include "numerics/half.h"

namespace edgenpu::numerics {
namespace {

void store_half(std::uint8_t* out, float value) {
  const std::uint16_t half = float_to_half(value);
  std::memcpy(out, &half, sizeof half);
}

// The element of largest magnitude becomes code 0, that is -8.
void quantise_block_q4_0(const float* x, std::uint8_t* out) {
  float largest = 0, signed_largest = 0;
  for (int i = 0; i < 32; ++i)
    if (std::fabs(x[i]) > largest) largest = std::fabs(x[i]), signed_largest = x[i];
  const float d = signed_largest / -8.0f;
  const float inverse = d != 0 ? 1.0f / d : 0.0f;
  // Not finite where d is so small that its inverse overflows; the code is then 0, as ggml's conversion gives
  // it.
  const auto code = [inverse](float value) {
    const float scaled = value * inverse + 8.5f;
    return std::isfinite(scaled) ? static_cast<int>(std::fmin(std::trunc(scaled), 15.0f)) : 0;
  };
  store_half(out, d);
  for (int i = 0; i < 16; ++i) out[2 + i] = static_cast<std::uint8_t>(code(x[i]) | code(x[i + 16]) << 4);
}

void quantise_blocks(int elements, int bytes, void (*one)(const float*, std::uint8_t*), const float* values,
                     std::int64_t count, std::uint8_t* out) {
  for (std::int64_t i = 0; i < count / elements; ++i) one(values + i * elements, out + i * bytes);
}

void quantise_block_q8_0(const float* x, std::uint8_t* out) {
  const std::vector<std::uint8_t> packed = pack(round_activations(Rounding8::Q8_0, x, 32));
  std::memcpy(out, packed.data(), packed.size());
}

}  // namespace

bool can_quantise(Format format) {
  switch (format) {
    case Format::F32:
    case Format::F16:
    case Format::BF16:
    case Format::Q4_0:
    case Format::Q8_0:
    case Format::Q4_K:
    case Format::Q6_K:
      return true;
    default:
      return false;
  }
}

void quantise(Format format, const float* values, std::int64_t count, std::uint8_t* out) {
  const vocabulary::FormatInfo& f = vocabulary::info(format);
  if (count % f.block_elements != 0) throw InternalError("quantising a part of a block");
  const auto blocks = [&](void (*one)(const float*, std::uint8_t*)) {
    quantise_blocks(f.block_elements, f.block_bytes, one, values, count, out);
  };
  switch (format) {
    case Format::F32:
      std::memcpy(out, values, static_cast<std::size_t>(count) * 4);
      return;
    case Format::F16:
      blocks([](const float* x, std::uint8_t* y) { store_half(y, *x); });
      return;
    case Format::BF16:
      blocks([](const float* x, std::uint8_t* y) {
        const std::uint16_t rounded = float_to_bf16(*x);
        std::memcpy(y, &rounded, sizeof rounded);
      });
      return;
    case Format::Q4_0:
      blocks(quantise_block_q4_0);
      return;
    case Format::Q8_0:
      blocks(quantise_block_q8_0);
      return;
    case Format::Q4_K:
      blocks(quantise_block_q4_k);
      return;
    case Format::Q6_K:
      blocks(quantise_block_q6_k);
      return;
    default:
      throw InternalError(std::string("no quantiser for ") + f.name);
  }
}

std::vector<std::uint8_t> quantise(Format format, const float* values, std::int64_t count) {
  std::vector<std::uint8_t> out(static_cast<std::size_t>(vocabulary::row_bytes(format, count).count()));
  quantise(format, values, count, out.data());
  return out;
}

QuantisationError compare(const float* values, const float* decoded, std::int64_t count) {
  double error = 0, power = 0;
  QuantisationError result;
  for (std::int64_t i = 0; i < count; ++i) {
    const double difference = static_cast<double>(decoded[i]) - values[i];
    error += difference * difference;
    power += static_cast<double>(values[i]) * values[i];
    result.largest = std::fmax(result.largest, std::fabs(difference));
  }
  if (error > 0) result.relative_rms = std::sqrt(error / power);
  return result;
}

}  // namespace edgenpu::numerics
