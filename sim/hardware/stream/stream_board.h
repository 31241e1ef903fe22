// What all cores of a device are doing, so that memory's idle time can be charged to its cause; and the work
// of the kernel in progress, handed out in order.
#pragma once

#include <vector>

#include "activity/counters.h"
#include "activity/ledger.h"
#include "lowering/kernel.h"

namespace edgenpu::hardware {

// A core without work; that waits for data or could ask for more; or that computes and asks for nothing
// meanwhile: its window is full, or its work needs no data.
enum class StreamState { idle, waiting, computing };

class StreamBoard {
 public:
  // `first`: the operator that the device begins with.
  StreamBoard(int units, activity::LossLedger& ledger, activity::OperatorId first = activity::OperatorId(0))
      : units_(static_cast<std::size_t>(units)), ledger_(ledger), device_op_(first), op_(first) {}

  // Between kernels: what the device waits for.
  void device_waits(Femtoseconds now, activity::Loss cause, activity::OperatorId op);
  void changed(Femtoseconds now, int unit, StreamState state, activity::OperatorId op);

  // The time since the last call by the operator that the device was at: what the ledger's idle time goes to.
  // In the order in which the operators were first met; never empty.
  struct Spent {
    activity::OperatorId op{0};
    Femtoseconds time{0};
  };
  std::vector<Spent> take_spent(Femtoseconds now);

 private:
  struct Unit {
    StreamState state = StreamState::idle;
    activity::OperatorId op{0};
  };
  void report(Femtoseconds now);
  void at(Femtoseconds now, activity::Loss cause, activity::OperatorId op);

  std::vector<Unit> units_;
  activity::LossLedger& ledger_;
  activity::Loss device_cause_ = activity::Loss::issue;
  activity::OperatorId device_op_;
  std::vector<Spent> spent_;
  activity::OperatorId op_;  // the device is at
  Femtoseconds since_{0};
};

// Some rows of one part of a kernel.
struct Grain {
  const lowering::KernelPart* part = nullptr;
  std::int64_t first = 0, rows = 0;

  // Of `total` units that belong to all rows, those of this grain: [begin, end), on whole `align` but for the
  // last.
  std::int64_t begin(std::int64_t total, std::int64_t align = 1) const { return share(total, first, align); }
  std::int64_t end(std::int64_t total, std::int64_t align = 1) const {
    return share(total, first + rows, align);
  }

 private:
  std::int64_t share(std::int64_t total, std::int64_t row, std::int64_t align) const;
};

// The kernel in progress. Each core asks for the next grain of the part that it is at.
class WorkSource {
 public:
  void load(const lowering::Kernel& kernel);
  // The next grain from `part` on; moves `part` on past parts that are all given out. False: nothing is left.
  bool take(std::size_t& part, Grain& grain);
  // Whether the next grain from `part` on reads or writes memory; true if nothing is left.
  bool has_data(std::size_t part) const;

 private:
  const lowering::Kernel* kernel_ = nullptr;
  std::vector<std::int64_t> next_;
};

}  // namespace edgenpu::hardware
