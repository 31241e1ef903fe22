// One memory channel: its controller and DRAM devices. A plain class in command clocks (CK); no SystemC.
//
// Model. Each master has a port: a queue of payloads. The controller moves them, in pieces of at most
// slot_bytes and one row, into a read and a write window; ports take turns by bytes, after an urgent one. Among
// the pieces in a window it schedules FR-FCFS: the oldest column command that is ready goes first, otherwise the
// row command that is ready first. Reads come first; writes wait until write_high of them stand in the window or there is
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
// Parts. The channel owns them, tells them what happens, and alone changes the state of the devices:
//   request_ports.h, request_window.h   what is asked
//   command_chooser.h                   the next command: scheduler.h, page_policy.h, write_groups.h, refresher.h
//   run_planner.h                       the next run
//   dram_state.h, command_bus.h         what the devices and the bus allow
//   sleep.h, channel_meter.h            power-down; what others are told
//
// Left out: forwarding from a queued write to a later read, auto-precharge (rows are closed by PRE), retries.
// Time runs forward: accept() at a cycle after run_until() to that cycle.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>

#include "hardware/memory/channel_meter.h"
#include "hardware/memory/command_bus.h"
#include "hardware/memory/command_chooser.h"
#include "hardware/memory/dram_state.h"
#include "hardware/memory/refresher.h"
#include "hardware/memory/request_ports.h"
#include "hardware/memory/request_window.h"
#include "hardware/memory/run_planner.h"
#include "hardware/memory/sleep.h"

namespace edgenpu::hardware {

enum class Detail { row, burst };

struct Completion {
  std::int64_t cycle;    // the end of the last burst on the data bus
  std::int64_t service;  // the cycle of its first column command
  std::int32_t id;
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
  bool running() const { return planner_.run().active; }
  // Nothing completes before; kNever if nothing is pending.
  std::int64_t wake_cycle();

  bool has_completion(std::int64_t until) const {
    return !completions_.empty() && completions_.front().cycle <= until;
  }
  Completion pop_completion();

  // Up to `end`, to which the channel has been run.
  PowerTimes power_times(std::int64_t end) const;

  void set_listener(CommandListener* listener) { bus_.set_listener(listener); }
  const ClockTime& time() const { return meter_.time(); }
  std::int64_t commands() const { return bus_.count(); }
  // Cycles in which the bus was reserved for data: bursts x burst time, and the first and last of them.
  std::int64_t first_data() const { return first_data_; }
  std::int64_t last_data() const { return meter_.data_end(); }
  std::string describe() const;

 private:
  using Command = timing::Command;

  // channel.cpp: what comes and what is done
  void feed();
  void complete(std::int32_t request, std::int64_t cycle);
  const Candidate& chosen();

  // channel_commands.cpp: one command at a time
  void execute(const Candidate& c);
  void execute_column(const Candidate& c);
  void open_row(const Candidate& c);
  void close_row(const Candidate& c);
  void book_burst(const RequestWindow::Slot& slot, activity::OperatorId op, std::int64_t start,
                  std::int64_t end);
  activity::Loss cause_of(const RequestWindow::Slot& slot, std::int64_t cycle, std::int64_t& rows) const;

  // channel_refresh.cpp: refresh and sleep
  void wake_up(std::int64_t cycle);
  void close_before_sleep(std::int64_t limit);
  void refresh(Command command, int bank, std::int64_t cycle);
  void close_rank(int bank, std::int64_t cycle);
  void refresh_banks_until(std::int64_t cycle, std::uint64_t avoid);
  bool skip_idle_refreshes(std::int64_t limit);

  // channel_run.cpp: one run at a time
  struct RunPart;
  void commit_run(std::int64_t until);
  void issue_rows(const Run& run, std::int64_t until, RunPart& part);
  void book_run(const Run& run, const RunPart& part);
  void advance(const Run& run, std::int64_t n, std::int64_t end);
  activity::Loss cause_of(const Run& run) const;

  const config::Memory& memory_;
  const timing::AddressMap& map_;
  DramState state_;
  ChannelMeter meter_;
  CommandBus bus_;
  RequestPorts ports_;
  RequestWindow window_;
  Refresher refresher_;
  Sleep sleep_;
  CommandChooser chooser_;
  RunPlanner planner_;

  int pending_ = 0;
  Candidate chosen_;
  bool chosen_valid_ = false;
  std::array<std::int64_t, 2> data_start_;  // [write], after a column command
  std::int64_t last_column_ = -1, first_data_ = -1;
  bool last_write_ = false;
  std::deque<Completion> completions_;
};

}  // namespace edgenpu::hardware
