// Repeated layers simulated once: kernels are separated by barriers or launches, so a layer that does the
// same work as another takes the same time, up to where refreshes fall and which rows are open.
//
// memoise() keeps everything outside the layers and, of each kind of layer (equal sequences of kernels), two:
// the first and one from the middle; of their long parts, a stretch (kernel_cut.h). expand() lets the
// activity of the kept ones stand for the others, alternately, and estimates its error from how far the two
// lie apart. Bytes and products stay exact, since equal layers have equal ones; refreshes and row openings
// are those of the layers that stand for others.
#pragma once

#include "activity/snapshot.h"
#include "lowering/kernel_cut.h"

namespace edgenpu::lowering {

struct KernelMemo {
  KernelProgram program;    // what is simulated; operators keep their numbers
  std::vector<int> source;  // [operator] whose activity stands for it: itself if simulated
  std::vector<std::pair<std::vector<int>, std::vector<int>>>
      pairs;  // operators of the two layers of each kind
  int layers = 0, simulated_layers = 0;
  std::vector<KernelPiece> pieces;  // stretches: operators behind those of the whole program
  bool complete() const { return simulated_layers == layers && pieces.empty(); }
};

// Without limits, no part is cut.
KernelMemo memoise(const KernelProgram& program, int cores = 1, const KernelCutLimits& limits = {});
// Nothing left out.
KernelMemo whole(const KernelProgram& program);

// The snapshot of the whole program.
activity::Snapshot expand(const activity::Snapshot& simulated, const KernelMemo& memo);
// Relative, of the time: by how much equal layers differ, times the share of the time that they stand for.
double error_estimate(const activity::Snapshot& simulated, const activity::Snapshot& whole,
                      const KernelMemo& memo);

}  // namespace edgenpu::lowering
