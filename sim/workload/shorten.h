// A trace without the layers that repeat others: for simulating each distinct layer once in its
// neighbourhood.
//
// Two layers are alike if their operators are, one by one: kinds, shapes, formats, and what they need
// relative to themselves. A layer's neighbourhood is its own kind and what it can see of the layers around
// it: the last operators of the one before and the first of the one after, those that hold `reach` bytes of
// weights and cache (what prefetch can run ahead is no more than the scratchpad holds). The shortened trace
// keeps the order of layers and splices it where two layers and their successors are alike, so that every
// neighbourhood of the full trace occurs in it and no other does; small layers are kept several times and
// stand for the others in turn. What must fit the memory stays that of the full trace.
#pragma once

#include <vector>

#include "workload/trace.h"

namespace edgenpu::workload {

struct ShortTrace {
  Trace trace;
  std::vector<int> stands_for;  // [operator of the full trace] operator of `trace` that stands for it
  std::vector<int> copy_of;     // [operator of `trace`] operator of the full trace that it is
};

// `labels`: [operator] anything else in which operators of one shape differ; may be empty.
ShortTrace shorten(const Trace& full, Bytes reach, const std::vector<int>& labels = {});

// The same trace, each operator standing for itself.
ShortTrace unshortened(const Trace& full);

}  // namespace edgenpu::workload
