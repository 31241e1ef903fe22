// Long parts of kernels simulated in part: a matrix product streams megabytes at a steady pace, so its first
// rows, a stretch from its middle and its last rows give its time.
//
// cut() replaces each part that is longer than all three together by three parts of the same kernel: what
// comes first (buffers fill, rows open), the stretch, and the end (cores finish one after the other). The
// stretch is an operator of its own, numbered behind the program's, and stands for `periods` stretches; whole
// rows, whole lines, and as many grains a core, so that bytes and products come out exactly and time does not
// hang on which core takes a grain more. Parts that are not one contiguous read are left alone.
#pragma once

#include <vector>

#include "lowering/kernel.h"

namespace edgenpu::lowering {

struct KernelCutLimits {
  Bytes first{0}, stretch{0}, last{0};  // at least
};

// Operator `operators + i` of the cut program stands for `periods` times itself, as work of `op`.
struct KernelPiece {
  int op = 0;
  std::int64_t periods = 1;
};

std::vector<KernelPiece> cut(KernelProgram& program, int cores, const KernelCutLimits& limits);

}  // namespace edgenpu::lowering
