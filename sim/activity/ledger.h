// The loss ledger: every femtosecond of a run, on every memory channel, is charged to one cause and one
// operator, so the causes sum to the time by construction.
//
// Model. Each channel has a cursor that starts at 0. While a channel serves requests, its model moves the
// cursor forward with charge(): to the cause that held the data bus, and to the operator that the request
// belongs to. When a channel has nothing to serve, the time until its next request is charged to what the
// requesters upstream were waiting for at each moment, which they report with upstream(). finish() settles
// every channel up to the end.
//
// Sums are kept in channel-femtoseconds (time x channels) in 128-bit integers: in 64 bits, 256 channels would
// end at 36 s. Dividing by the number of channels gives seconds that add up to the run's time.
//
//   transfer    whole bursts on the data bus, at peak rate
//   refresh     the bus idle because the rank or bank was refreshing
//   row_miss    ... because a row had to be closed or opened
//   turnaround  ... because the bus changed between reading and writing
//   queueing    ... for any other reason while requests existed: latency, tCCD, finite queues, imbalance of
//               the channels
//   compute     nothing was asked for: buffers were full, and matrix, vector or dequantisation work was under
//               way
//   dependency  nothing was asked for: the program forbade it until another operator had finished
//   issue       nothing was asked for: commands were not issued yet, or the host had not launched
//   tail        after the last transfer, until the result
//   cores       nothing was asked for, and the chip's CPU was at work on an operator that is placed there
//   handover    ... or an operator was on its way to the CPU or back
//   contention  the bus served another program, while requests of this one waited
//
// Several programs on one memory have operators of consecutive numbers, and each an account of its own: the causes
// of each sum to its own time. What the bus does for one program is contention to every other that has requests in
// that channel, and nothing to those that have none.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "activity/operators.h"
#include "base/quantity.h"

namespace edgenpu::activity {

enum class Loss {
  transfer,
  refresh,
  row_miss,
  turnaround,
  queueing,
  compute,
  dependency,
  issue,
  tail,
  cores,
  handover,
  contention
};
inline constexpr int kLosses = 12;
// The others can only occur where operators are placed on cores beside the engines, and the last one where programs
// share the memory.
inline constexpr int kCommonLosses = 9, kPlacedLosses = 11;
inline constexpr std::array<const char*, kLosses> kLossNames = {
    "transfer",   "refresh", "row_miss", "turnaround", "queueing", "compute",
    "dependency", "issue",   "tail",     "cores",      "handover", "contention"};

// Channel-femtoseconds by cause.
using LossTimes = std::array<Wide, kLosses>;
// Over all causes.
Wide sum_of(const LossTimes& losses);

class LossLedger {
 public:
  // Before the first upstream() report, waiting is charged to `issue` of operator 0.
  LossLedger(int channels, int operators) : LossLedger(channels, std::vector<int>{operators}) {}
  // [program] how many operators each has.
  LossLedger(int channels, const std::vector<int>& operators);

  // The channel's time from its cursor until `until` goes to `cause`. Nothing if `until` is not after the
  // cursor.
  void charge(int channel, Loss cause, OperatorId op, Femtoseconds until);

  // The channel had nothing to serve of the program of `op` from its cursor until `until` (not in the future).
  void idle_until(int channel, Femtoseconds until, OperatorId op = OperatorId(0));

  // Where programs share the memory: a request of `op` comes to a channel; it is done. Before the first of several
  // the channel was idle for that program.
  bool shared() const { return programs_.size() > 1; }
  void arrives(int channel, OperatorId op, Femtoseconds now);
  void leaves(int channel, OperatorId op);

  // From `now` on, the requesters wait for `cause` of `op`.
  void upstream(Femtoseconds now, Loss cause, OperatorId op);

  // Masters beside the step may still be served when it ends: what is charged beyond the end is taken back.
  void allow_overhang() { overhang_ = true; }

  // Settles all channels up to the end of the run, or of each program. Every cursor must lie at or before it, or an
  // overhang be allowed.
  void finish(Femtoseconds end) { finish(std::vector<Femtoseconds>(programs_.size(), end)); }
  void finish(const std::vector<Femtoseconds>& ends);

  Femtoseconds cursor(int channel) const {
    return programs_.front().cursors[static_cast<std::size_t>(channel)];
  }
  int channels() const { return static_cast<int>(programs_.front().cursors.size()); }
  // [operator]
  const std::vector<LossTimes>& losses() const { return losses_; }

 private:
  struct Cause {
    Femtoseconds since;
    Loss loss;
    OperatorId op;
  };
  struct Charge {
    Femtoseconds from;
    Loss loss;
    OperatorId op;
  };
  struct Program {
    OperatorId first{0};
    std::vector<Femtoseconds> cursors;  // [channel]
    std::deque<Cause> causes;
    std::vector<std::deque<Charge>> recent;  // [channel] the last charges, where an overhang is allowed
    std::vector<std::int64_t> waiting;       // [channel] requests
    std::vector<OperatorId> wanted;          // [channel] by the last of them
    std::vector<Femtoseconds> served;        // [channel] until when the bus was its own
  };
  Program& program_of(OperatorId op);
  void charge(Program& program, int channel, Loss cause, OperatorId op, Femtoseconds until);
  void charge_others(Program& mine, int channel, OperatorId op, Femtoseconds until);
  static void drop_settled(Program& program);
  void take_back(Program& program, int channel, Femtoseconds end);

  std::vector<Program> programs_;
  std::vector<LossTimes> losses_;
  bool overhang_ = false;
};

}  // namespace edgenpu::activity
