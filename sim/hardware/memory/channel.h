// One memory channel: its controller and DRAM devices. A plain class in command clocks (CK); no SystemC.
//
// Model. Each master has a port: a queue of payloads. The controller moves them, in pieces of at most
// slot_bytes and one row, into a read and a write window; ports take turns by bytes, after an urgent one. Among the pieces in a
// window it schedules FR-FCFS: the oldest column command that is ready goes first, otherwise the row command
// that is ready first. Reads come first; writes wait until write_high of them stand in the window or there is
// nothing to read, and are then served as a group. A command takes its slots on the command bus; ACT-2
// follows ACT-1 within tAAD; a column command after WCK has stopped takes a CAS slot more. Requests that
// arrive at a cycle are seen from the next one on. Refresh: per rank, each tREFI (one bank each tREFIpb); up
// to `postpone` are put off while there is work. A rank under all-bank refresh stops; under per-bank refresh
// only the bank does, an idle one of the round if there is one. Payloads end when the last burst has left the
// data bus; writes too (not when accepted).
//
// Detail. `burst`: every command is scheduled. `row`: while one master alone has large payloads (at least 4
// KiB, or 128 B beside such a one), each *run* (the bursts of a payload in the set of rows that the mapping
// opens together) is done in closed form: when its rows can be open, when its last burst can go; the
// activation of the next run overlaps the data of this one. A run is cut at an all-bank refresh and when
// another master's request arrives; then and for small payloads, `row` schedules like `burst`.
//
// Left out: forwarding from a queued write to a later read, auto-precharge (rows are closed by PRE), retries.
// Time runs forward: accept() at a cycle after run_until() to that cycle.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "hardware/memory/channel_meter.h"
#include "hardware/memory/dram_state.h"
#include "hardware/memory/request_ports.h"
#include "hardware/memory/request_window.h"
#include "timing/dram_address.h"
#include "timing/refresh.h"

namespace edgenpu::hardware {

enum class Detail { row, burst };

struct Completion {
  std::int64_t cycle;    // the end of the last burst on the data bus
  std::int64_t service;  // the cycle of its first column command
  std::int32_t id;
};

// Rank-cycles by state; they sum to ranks x cycles.
struct PowerTimes {
  std::int64_t active = 0;      // standby with a row open
  std::int64_t precharged = 0;  // standby with all rows closed
  std::int64_t power_down = 0, self_refresh = 0;
};

// Sees every command as it is issued, in order of time. `column` in bursts.
class CommandListener {
 public:
  virtual ~CommandListener() = default;
  virtual void command(std::int64_t cycle, timing::Command command, int bank, std::int64_t row,
                       std::int64_t column) = 0;
};

class Channel {
 public:
  Channel(const config::Memory& memory, const timing::AddressMap& map, int index, Detail detail, int ports,
          activity::Counters& counters, activity::LossLedger& ledger);

  // A port takes port_queue payloads that have not been fully moved into the window.
  bool has_room(int port) const { return ports_.has_room(port); }
  bool idle() const { return pending_ == 0; }
  // `now` lies in the clock period that ends at `cycle`.
  void accept(std::int64_t cycle, Femtoseconds now, const ChannelRequest& request);

  // Everything that happens up to and including `cycle`, provided nothing is accepted before.
  void run_until(std::int64_t cycle);
  // As run_until, but stops at the first completion; returns its cycle, or `limit`.
  std::int64_t run_to_completion(std::int64_t limit);
  // In the middle of a run in closed form: what is accepted at its port does not end before it.
  bool running() const { return run_.active; }
  // Nothing completes before; kNever if nothing is pending.
  std::int64_t wake_cycle();

  bool has_completion(std::int64_t until) const {
    return !completions_.empty() && completions_.front().cycle <= until;
  }
  Completion pop_completion();

  // Up to `end`, to which the channel has been run.
  PowerTimes power_times(std::int64_t end) const;

  void set_listener(CommandListener* listener) { listener_ = listener; }
  const ClockTime& time() const { return meter_.time(); }
  std::int64_t commands() const { return commands_; }
  // Cycles in which the bus was reserved for data: bursts x burst time, and the first and last of them.
  std::int64_t first_data() const { return first_data_; }
  std::int64_t last_data() const { return meter_.data_end(); }
  std::string describe() const;

 private:
  using Command = timing::Command;
  // Among shorter payloads, and over more rows, the scheduler has more freedom than a closed form can tell.
  // One short payload beside a long one (the ragged end of a tile) has not.
  static constexpr Bytes kLong{4096}, kShortest{128};
  static constexpr std::int64_t kMostRows = 8;

  struct Race;
  struct Candidate {
    std::int64_t cycle = kNever, order = kNever;
    int bank = kNone, priority = 0;
    Command command = Command::rd;
    bool cas = false;
  };
  struct RankRefresh {
    std::int64_t due = kNever, next = 0;  // the next one: when, and its number
    std::int64_t owed = 0;
    bool active = false;      // all-bank: the rank is being drained and refreshed
    int target = kNone;       // per-bank: the bank that is
    std::uint64_t round = 0;  // banks of the rank still to be refreshed in this round
  };
  struct RowOpening {
    int bank;
    std::int64_t row, pre, act;  // cycles; -1 if not needed
    std::int64_t ready = 0;      // for column commands
  };
  struct Run {
    bool active = false, write = false;
    int port = 0;
    std::int32_t request = kNone;
    std::int64_t next = 0, bursts = 0;  // first burst, number
    std::int64_t first = 0, last = 0;   // cycles of the first and last column command
    std::int64_t rows_from = 0;         // when the first of its rows was wanted
    std::uint64_t banks = 0;
    std::vector<RowOpening> rows;
    int opened = 0;
  };

  // channel.cpp: what comes and what is done
  void feed();
  void complete(std::int32_t request, std::int64_t cycle);

  // channel_schedule.cpp: one command at a time
  Candidate choose();
  void consider_columns(int direction, std::uint64_t banks, Candidate& column, Candidate& row);
  void consider_row(Command command, std::uint64_t banks, int direction, int priority, Candidate& row);
  void consider_direction(int direction, std::uint64_t banks, int priority, std::int64_t limit,
                          Candidate& row);
  int slots_of(Command command) const { return command_slots_[static_cast<std::size_t>(command)]; }
  std::uint64_t rank_banks(int rank) const {
    const int n = state_.banks_per_rank();
    return ((std::uint64_t{1} << (n - 1) << 1) - 1) << (rank * n);
  }
  std::int64_t consider_activating(Candidate& second);
  void consider_policy(Candidate& row);
  const Candidate& pick(const Candidate& column, const Candidate& row) const;
  void execute(const Candidate& c);
  void execute_column(const Candidate& c);
  void open_row(const Candidate& c);
  int direction();
  bool writes_disturb_reads() const;
  void emit(Command command, int bank, std::int64_t cycle, std::int64_t row, std::int64_t column);
  activity::Loss cause_of(const RequestWindow::Slot& slot, std::int64_t cycle, std::int64_t& rows) const;

  // channel_refresh.cpp: refresh and sleep
  void wake_up(std::int64_t cycle);
  void close_before_sleep(std::int64_t limit);
  void slept(std::int64_t until, PowerTimes& times) const;
  bool self_refresh_before(std::int64_t due) const {
    const std::int64_t after = memory_.controller.self_refresh_after.count();
    return pending_ == 0 && after > 0 && due > idle_since_ + after;
  }
  void refresh_falls_due(std::int64_t cycle);
  void expect_refresh(int rank, std::int64_t number);
  void consider_refresh(Candidate& row);
  void refreshed(const Candidate& c);
  int choose_refresh_bank(int rank, std::uint64_t avoid, bool forced) const;
  void refresh_banks_until(std::int64_t cycle, std::uint64_t avoid);
  std::int64_t next_due() const { return next_due_; }
  void update_next_due();
  void watch_starvation();
  bool skip_idle_refreshes(std::int64_t limit);

  // channel_run.cpp: one run at a time
  bool can_run() const;
  bool suits_run(int port) const;
  bool plan_run();
  void plan_rows(std::int64_t entry);
  void commit_run(std::int64_t until);
  void gather_rows(std::int64_t begin, std::int64_t end);
  std::int64_t slots_for_refresh(std::int64_t from, std::int64_t to) const;
  std::int64_t ready(const RowOpening& row, std::int64_t entry) const;

  const config::Memory& memory_;
  const timing::AddressMap& map_;
  DramState state_;
  ChannelMeter meter_;
  Detail detail_;
  CommandListener* listener_ = nullptr;

  RequestPorts ports_;
  RequestWindow window_;
  int pending_ = 0;
  bool writing_ = false;
  std::uint64_t activating_ = 0;  // a bit per bank between ACT-1 and ACT-2
  std::uint64_t blocked_ = 0;     // a bit per bank under refresh
  std::uint64_t open_ = 0;        // a bit per bank with an open row
  std::vector<RankRefresh> refresh_;
  timing::RefreshSchedule schedule_;
  std::int64_t next_due_ = kNever;
  std::int64_t owed_ = 0;                    // by all ranks
  std::int64_t refreshes_without_data_ = 0;  // while requests wait

  std::array<int, timing::kCommands> command_slots_{};
  std::array<std::int64_t, 2> data_start_{};  // [write], after a column command
  Candidate chosen_;
  bool chosen_valid_ = false;
  std::int64_t floor_ = 0;  // first free slot of the command bus
  std::int64_t last_column_ = -1;
  bool last_write_ = false;
  std::int64_t first_data_ = -1;
  std::int64_t idle_since_ = 0;
  PowerTimes asleep_;  // its sleeping parts
  std::int64_t commands_ = 0;
  std::deque<Completion> completions_;

  Run run_;
  bool closed_form_ = false;
  std::int64_t long_ = 1, shortest_ = 1;  // bursts
  // The payload done last was a long one, in closed form, if no slot has been filled since: slots filled by then.
  std::int64_t after_long_ = kNone;
  std::int64_t chunk_mask_ = 0;  // bursts of one set of rows, minus 1
  std::int64_t bank_mask_ = 0;   // of those, the bits that choose the bank
  struct BankStep {
    std::int64_t bits;  // of the burst address
    std::int32_t bank;  // what they add to the bank's number, by exclusive or
  };
  std::vector<BankStep> bank_steps_;  // through the rows of a chunk, in order; a power of two of them
  std::int64_t bank_period_ = 1;
  std::int64_t lookahead_ = 0;
  std::int64_t rcd_ = 0;  // ACT-1 to column command
};

}  // namespace edgenpu::hardware
