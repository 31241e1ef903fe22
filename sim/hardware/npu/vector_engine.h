// The vector engine: pipelines of fp32 lanes, each with one command at a time.
//
// Law. Commands start in order, each in the first pipeline that is free, and are reported finished in order
// (as a reorder buffer does: what follows the last of several may rely on all). A command takes `start`
// cycles, then ceil(elements / lanes) x operations cycles (timing/unit_cycles.h), and no less than its
// operands need to pass the scratchpad.
//
// A function given in passes works through the rows of its command pass by pass: each row begins a lane word,
// each pass reads its elements from the scratchpad and, where it says so, writes them; a pass that reduces (a
// sum, a maximum) is followed by one traversal of a binary tree over the lanes, ceil(log2(lanes)) cycles,
// which the last row of the pass leaves exposed. Passes: softmax in three (maximum; exponentials and their
// sum; division), in two with a running maximum (Milakov and Gimelshein, arXiv:1805.02867), in one if the row
// stays in registers.
//
// Stalls as the matrix engines do; busy while a pipeline is. Left out: one command on several pipelines; the
// lanes - 1 operations of a tree (energy). Counters: vector_fma (lane operations, billable).
#pragma once

#include <deque>
#include <systemc>
#include <utility>
#include <vector>

#include "hardware/npu/context.h"
#include "hardware/npu/scratchpad.h"

namespace edgenpu::hardware {

class VectorEngine : public sc_core::sc_module {
 public:
  VectorEngine(sc_core::sc_module_name name, NpuContext& context, Scratchpad& scratchpad);
  activity::BucketClock& buckets() { return buckets_; }
  const activity::BucketClock& buckets() const { return buckets_; }

 private:
  void run();
  void start(int command, Femtoseconds& pipeline, Femtoseconds now);
  Cycles cycles(const lowering::VectorWork& work) const;
  void wake_next(Femtoseconds now);

  NpuContext& context_;
  Scratchpad& scratchpad_;
  activity::BucketClock buckets_;
  activity::CounterId operations_;
  // In progress, in program order, with the time when each may be reported.
  std::deque<std::pair<int, Femtoseconds>> running_;
  std::vector<Femtoseconds> free_at_;  // [pipeline]
  // Apart from the wake event: a sooner notification of one event would cancel a later one.
  sc_core::sc_event free_;
};

}  // namespace edgenpu::hardware
