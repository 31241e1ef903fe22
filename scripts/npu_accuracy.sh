#!/bin/sh
# Prints how far the logits of tiny_llama are from float arithmetic for a number of engine arithmetics, and beside it
# what a token of Llama-3.1-8B Q4_K_M then costs on the NPU, as a table for docs/numerics.md.
# Usage: scripts/npu_accuracy.sh [EDGENPU]
set -eu
cd "$(dirname "$0")/.."
edgenpu=${1:-build/release/bin/edgenpu}
model=tests/data/tiny_models/tiny_llama.Q4_K_M.gguf
tokens="1 300 17 262 411 5 98 273 350 44 266 120 333 480 259 77"

# Millijoules a token at 1024 cached tokens; and of the matrix engines alone. Only the accumulator's width and the cache's
# format have a price: the other keys change numbers, not joules.
joules() {
  "$edgenpu" run --hardware npu-raiderchip-asic --model llama-3.1-8b "$@" --json - |
    awk -F'[:,]' '/"energy_J_per_token"/ {j = $2} /"matrix": [0-9]/ {m = $2}
      END {printf "%.1f (%.2f)", j * 1e3, m * 1e3}'
}

row() {
  name=$1
  shift
  "$edgenpu" numerics --gguf $model --tokens "$tokens" "$@" |
    awk -v name="$name" -v j="$cost" '/top-1/ {t = $3} /^  rms/ {r = $2} /^  max/ {m = $2} /^  KL/ {k = $2}
      END {printf "| %s | %s | %s | %s | %s | %s |\n", name, k, r, m, t, j}'
}

npu() {
  name=$1
  shift
  sets=""
  cost=$wide
  for s in "$@"; do
    sets="$sets --set arithmetic.$s"
    case $s in
      accumulator_bits=*) cost=$(joules --set "arithmetic.$s") ;;
      half_operands=true) cost="-" ;;  # other operands than `run` multiplies
    esac
  done
  # shellcheck disable=SC2086
  row "$name" --arithmetic npu --hardware npu-raiderchip-asic $sets
}

wide=$(joules)
echo "| arithmetic | KL (nats) | rms | max | top-1 | mJ a token (matrix engines) |"
echo "|---|---|---|---|---|---|"
cost="-"
row "ggml" --arithmetic ggml
npu "npu, wide (32-bit accumulator, scales in it)"
npu "scales after each group" scale_at=group
npu "accumulator 23 bits" accumulator_bits=23
npu "accumulator 22 bits, saturating" accumulator_bits=22
npu "accumulator 22 bits, wrapping" accumulator_bits=22 overflow=wrap
npu "accumulator 21 bits, saturating" accumulator_bits=21
npu "scales after each group, accumulator 15 bits" scale_at=group accumulator_bits=15
npu "scales after each group, accumulator 14 bits" scale_at=group accumulator_bits=14
npu "6 low bits of products dropped, to the nearest" dropped_bits=6
npu "6 low bits of products dropped, truncated" dropped_bits=6 cut=truncate
npu "one factor a row for weights and activations" scale_at=row activation_factor=row
npu "one factor a row for activations only" activation_factor=row
npu "activations of 6 bits" activation_bits=6
npu "partial sums in f16" partial_sums=f16
npu "partial sums in bf16" partial_sums=bf16
npu "f16 operands, f32 sums" half_operands=true
npu "f16 operands, f16 sums" half_operands=true partial_sums=f16
npu "functions from tables of 256" function_entries=256
npu "functions from tables of 16" function_entries=16
cost=$(joules --kv f16)
row "float, KV in f16" --kv f16
cost=$(joules --kv q8_0)
row "float, KV in q8_0" --kv q8_0
cost=$(joules --kv q4_0)
row "float, KV in q4_0" --kv q4_0
