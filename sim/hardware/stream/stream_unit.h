// A core of a CPU or a multiprocessor of a GPU, as memory sees it: it takes grains of the kernel in progress,
// reads their bytes as a stream of TLM-2.0 requests, and computes on them in order as they arrive.
//
// Law. At most `outstanding` bytes are in flight (miss buffers and prefetches of a core; loads of a
// multiprocessor's warps), and at most `run_ahead` bytes have been asked for and not been used yet (what
// prefetchers may fill of a cache; what registers hold). Cycles of work are spread evenly over the bytes of a
// grain; computing a piece starts when it has arrived and the one before is done. So a core's bandwidth is
// the least of outstanding / latency, its decode rate, and what the channels give; nothing is a share of a
// peak.
//
// Aggregation. One request stands for up to `request` bytes of consecutive lines, because one request a line
// would be slow to simulate. Lines of such a request would be sent one by one as earlier lines return, so
// requests are paced: a budget of at most `outstanding` bytes refills at outstanding / L, where L is the
// latency of a line: the response time measured last, less the time in which the channel brings the request's
// other lines at its peak. While the channels are saturated, L grows until the paces add up to what they
// give. With request = line and no pace the unit is the exact model: tests/hardware/stream compares the two.
//
// Port. Where the device has one (a die-to-die link, a fabric port), all cores' data come through it in order
// at its rate.
//
// Stalls: no data (wait_data), nothing to do (idle). Left out: caches as such, TLB misses, requests out of
// order inside a grain, writes that a core waits for. Counters: none of its own.
#pragma once

#include <deque>
#include <systemc>

#include "activity/buckets.h"
#include "config/memory.h"
#include "hardware/memory/initiator.h"
#include "hardware/npu/bandwidth_server.h"
#include "hardware/stream/page_scatter.h"
#include "hardware/stream/stream_board.h"

namespace edgenpu::hardware {

struct StreamParameters {
  Hertz clock{1};
  Bytes line{64};
  Bytes outstanding{64};
  Bytes run_ahead{64};
  Bytes request{64};  // one request at most
  bool paced = true;
  Bytes page{0};             // of the operating system; 0: physical memory is contiguous
  int operators = 1;         // of the program, for the books
  BytesPerSecond port{0};    // from memory into the device, shared by its cores; 0: no limit
  std::int64_t address = 0;  // where the program's addresses begin, a multiple of the channels' interleave
};

// The largest request that still lets several be in flight, so that the aggregate behaves as single lines
// would.
Bytes aggregate_request(Bytes outstanding, Bytes line, Bytes interleave);

class StreamUnit : public sc_core::sc_module, public Initiator {
 public:
  StreamUnit(sc_core::sc_module_name name, int index, const StreamParameters& parameters,
             const config::Memory& memory, StreamBoard& board, WorkSource& source,
             BandwidthServer* port = nullptr);

  // Begins to work on the kernel that the source holds.
  void start();
  bool done() const { return !active_; }
  // Notified when it becomes done.
  const sc_core::sc_event& finished() const { return finished_; }

  const activity::BucketClock& buckets() const { return buckets_; }
  activity::BucketClock& clock() { return buckets_; }
  std::int64_t events() const { return events_; }
  std::string describe() const;

 private:
  // A request, or (bytes = 0) work without data.
  struct Piece {
    Bytes bytes{0};
    Cycles cycles{0};
    activity::OperatorId op{0};
    Femtoseconds issued{0};
    bool arrived = false, write = false;
  };
  struct Use {
    Femtoseconds done;
    Bytes bytes;
  };

  void run();
  bool next_grain();
  bool send_one(Femtoseconds now);
  bool may_send(Bytes length, Femtoseconds now);
  Bytes fitting(Bytes length) const;
  Femtoseconds rest_of(Bytes length) const;
  void send(Bytes length, std::int64_t address, Piece piece);
  void use_arrived(Femtoseconds now);
  void retire(Femtoseconds now);
  void settle(Bytes length, std::int32_t owner) override;
  Femtoseconds arrival(Femtoseconds at, Bytes bytes) override {
    return port_ ? port_->reserve(at, bytes) : at;
  }
  void respond() { deliver(); }
  void wait_for_next(Femtoseconds now);
  StreamState state(Femtoseconds now) const;
  Cycles cycles_to(std::int64_t offset) const;

  const int index_;
  const StreamParameters parameters_;
  const config::Memory& memory_;
  StreamBoard& board_;
  WorkSource& source_;
  BandwidthServer* port_;  // nullptr: no limit
  const PageScatter pages_;

  bool active_ = false, exhausted_ = true;
  std::size_t part_ = 0;
  Grain grain_;
  bool have_grain_ = false, writing_ = false;
  std::int64_t offset_ = 0, end_ = 0, begin_ = 0;  // of the grain, in the part's stream
  std::deque<Piece> pieces_;                       // asked for, not used, in order
  std::int64_t first_piece_ = 0;                   // number of the piece at the front
  std::deque<Use> uses_;
  Bytes in_flight_{0}, unused_{0};
  Femtoseconds last_use_{0};
  Femtoseconds latency_{0};  // of a line, measured last; 0: not yet
  double budget_ = 0;        // bytes
  Femtoseconds budget_at_{0};
  sc_core::sc_event finished_;
  activity::BucketClock buckets_;
  std::int64_t events_ = 0;
};

}  // namespace edgenpu::hardware
