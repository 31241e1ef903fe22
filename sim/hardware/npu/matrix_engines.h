// The matrix engines: identical arrays in lockstep behind one sequencer.
//
// Law. A command (m x n x k) is divided evenly among the engines: its outputs, its rows or its reduction. It
// occupies them for the longest of
//   - the array: split_cycles() of its dataflow (timing/matrix_array.h). Under a causal mask a dot-product
//     array takes the sum over the rows, each as long as its own visible keys; a systolic one streams the
//     whole rectangle
//   - the decoder: weights of one engine / decode rate of the format
//   - the engine's port: the stored weights and the activations that one engine takes in / port width
//   - the scratchpad's read side, shared with the other units; what all engines need is read once with
//     multicast, by each of them without
// Its results are complete `pipeline` cycles later, when they have passed the scratchpad's write side; the
// next command may start before that. Engines that divide a reduction send their partial sums, in fp32, up a
// tree of adders between them: engines - 1 for each output.
//
// Stalls: its data has not arrived (wait_data), a result of another unit is missing (wait_dependency), the
// place of its results is still read (wait_space). Left out: sleep states.
//
// Counters: mac_<operands> (billable), dequant_weights_int4/int8 (billable), dequant_scales (billable), macs;
// partial_sum_B and partial_sum_adds (billable): partial sums moved and added between engines;
// cycles by what limited the engines: matrix_limit_array, matrix_limit_decode, matrix_limit_port.
#pragma once

#include <systemc>
#include <vector>

#include "hardware/npu/context.h"
#include "hardware/npu/scratchpad.h"
#include "hardware/timed_queue.h"

namespace edgenpu::hardware {

class MatrixEngines : public sc_core::sc_module {
 public:
  MatrixEngines(sc_core::sc_module_name name, NpuContext& context, Scratchpad& scratchpad);
  activity::BucketClock& buckets() { return buckets_; }
  const activity::BucketClock& buckets() const { return buckets_; }

 private:
  void run();
  void complete();
  Cycles array_cycles(const lowering::MatrixWork& work) const;
  struct Occupancy {
    Cycles cycles;
    activity::CounterId limit;  // what took the longest
  };
  Occupancy occupancy(const lowering::MatrixWork& work) const;
  Bytes read_bytes(const lowering::MatrixWork& work) const;
  // From `start` until busy_until_.
  void count(const lowering::MatrixWork& work, activity::OperatorId op, Femtoseconds start);
  void count_partial_sums(const lowering::MatrixWork& work, std::int64_t products, activity::OperatorId op,
                          Femtoseconds start);

  NpuContext& context_;
  Scratchpad& scratchpad_;
  activity::BucketClock buckets_;
  Femtoseconds busy_until_{0};
  // Apart from the wake event: a sooner notification of one event would cancel a later one.
  sc_core::sc_event free_;
  TimedQueue<int> completions_;
  std::vector<activity::CounterId> macs_by_operands_;
  activity::CounterId macs_, int4_, int8_, scales_, partial_B_, partial_adds_;
  activity::CounterId array_limit_, decode_limit_, port_limit_;
};

}  // namespace edgenpu::hardware
