// A DMA engine in one direction: fetches descriptors (transfers) in order, splits them at the
// channel-interleave granule into TLM-2.0 requests, and moves the data between memory and scratchpad. A
// descriptor is one piece (linear), pieces a stride apart (strided), or a list of pieces (gather).
//
// Law. Up to `channels` descriptors are in progress. A descriptor starts when its dependencies have finished,
// spends `setup` cycles, and then sends its pieces as fast as the memory accepts them (one request at a time
// waits for acceptance; at most `outstanding` requests of `request` bytes are in flight over all
// descriptors, until their data have passed). Data pass the interconnect and the scratchpad at their rates
// while they arrive. A descriptor finishes with its last byte.
//
// A gather descriptor first fetches its list, `list_entry` bytes a piece, over the interconnect: from DRAM by
// requests of its own, which go before the data of older descriptors, or from the scratchpad; the whole list
// must be there before its first piece is sent. So what a list saves is the set-up of a descriptor a piece,
// and the place among `channels` that each would hold; what it costs is its own bytes and their latency,
// which other descriptors in progress hide.
//
// Stalls: no free descriptor place or a dependency (wait_space, wait_data, wait_dependency), nothing to do
// (idle). Left out: address generation as a limit; who writes the lists. Counters:
// interconnect_B (billable), dma_descriptors, dram_refetched_B and dram_spilled_B (what the program asked for
// beyond the trace's needs, as each transfer says of itself); where the DMA gathers, dma_gather_pieces and
// dma_list_B (lists read from DRAM).
#pragma once

#include <list>
#include <systemc>

#include "hardware/memory/initiator.h"
#include "hardware/npu/context.h"
#include "hardware/npu/interconnect.h"
#include "hardware/npu/scratchpad.h"
#include "hardware/timed_queue.h"

namespace edgenpu::hardware {

class Dma : public sc_core::sc_module, public Initiator {
 public:
  // unit: load or store.
  Dma(sc_core::sc_module_name name, lowering::Unit unit, NpuContext& context, Scratchpad& scratchpad,
      Interconnect& interconnect);

  bool busy() const { return in_progress() && (in_flight_ > 0 || waits()); }
  // The operator of the oldest descriptor in progress; `setting_up` if it has not sent anything yet.
  bool in_progress() const { return !active_.empty(); }
  activity::OperatorId oldest_operator() const;
  activity::BucketClock& buckets() { return buckets_; }
  const activity::BucketClock& buckets() const { return buckets_; }

 private:
  struct Descriptor {
    int command;
    activity::OperatorId op;
    const lowering::Transfer* transfer;
    Femtoseconds ready;          // set up
    std::int64_t pieces;         // transfer->count, or those of its list
    std::int64_t piece = 0;      // the next to send
    std::int64_t offset = 0;     // in the piece
    int pending = 0;             // requests without a response
    Femtoseconds delivered{0};   // last byte so far
    std::int64_t list_left = 0;  // bytes of the list to ask for
    std::int64_t list_due = 0;   // and that have not arrived
    bool all_sent() const { return piece == pieces; }
    // A request of `length` of the `left` bytes of a piece, or of the list.
    void sends(std::int64_t length, std::int64_t left, bool list);
  };

  void run();
  void start_descriptors(Femtoseconds now);
  void send_requests(Femtoseconds now);
  void take_list(Descriptor& descriptor);
  bool send_lists(Femtoseconds now);
  bool send_one(Descriptor& descriptor);
  // Asks for as much of `bytes` at `address` as one request takes; false if none may be sent now. `list`: for
  // the descriptor's list.
  bool ask(Descriptor& descriptor, std::int64_t address, std::int64_t bytes, bool list);
  void respond() { deliver(); }
  void settle(Bytes length, std::int32_t owner) override;
  void complete();
  void let_go();
  void release(int requests);
  Femtoseconds first_byte(Bytes length, Femtoseconds last);
  int requests_of(std::int64_t bytes) const;
  // Of data that arrive for a descriptor.
  Interconnect::Age age(const Descriptor& descriptor);

  lowering::Unit unit_;
  NpuContext& context_;
  Scratchpad& scratchpad_;
  Interconnect& interconnect_;
  std::list<Descriptor> active_;
  TransferTime channel_time_;           // of a request in one memory channel
  int in_flight_ = 0;                   // requests of `request` bytes
  int oldest_ = -1;                     // the command whose data came last as those of the oldest descriptor
  TimedQueue<int> completions_, held_;  // commands; requests whose data are still on their way
  activity::BucketClock buckets_;
  activity::CounterId interconnect_B_, descriptors_, refetched_B_, spilled_B_;
  activity::CounterId gather_pieces_{}, list_B_{};  // where it gathers
};

}  // namespace edgenpu::hardware
