// Closed form: a whole run of bursts over the rows that the mapping opens together (run_rows.h), for one master alone
// with long payloads.
//
//   entry   when the run's first piece would enter the window: one cycle after its arrival, or a window's
//           worth of bursts before the end of the run in front
//   ready   of a row: entry if it is open; else after PRE, ACT-1, ACT-2 under tRP, tRC, tRRD, tFAW, then tRCD
//   last    column command = the latest of: one burst each tCCD_S from the first ready row; each row's own
//           bursts at tCCD_L after it is ready
// Left out: contention for the command bus (a stream leaves half of it free).
//
// A plan changes nothing. The channel makes it true, as far as it gets (channel_run.cpp), and says when a payload is
// done.
#pragma once

#include <cstdint>
#include <vector>

#include "hardware/memory/refresher.h"
#include "hardware/memory/request_window.h"
#include "hardware/memory/run_rows.h"

namespace edgenpu::hardware {

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

class RunPlanner {
 public:
  // The parts of the channel that it looks at outlive it. `wanted`: the detail asks for runs.
  RunPlanner(const config::Memory& memory, const timing::AddressMap& map, const DramState& state,
             const RequestPorts& ports, const RequestWindow& window, const Refresher& refresher, bool wanted);

  // Runs are wanted, and the mapping lets a stream run at the full rate over few rows.
  bool enabled() const { return enabled_; }
  // The port whose payloads are done in runs: the one that alone has any, if the next one is long; kNone otherwise.
  int port() const;
  // Nothing is in the way of a run.
  bool can_run() const;
  // The next run; `last_column` is the cycle of the column command before. False if an all-bank refresh comes before
  // the first burst.
  bool plan(std::int64_t last_column);
  const Run& run() const { return run_; }
  void end() { run_.active = false; }
  // A payload of so many bursts has been done by runs alone.
  void done(std::int64_t bursts) { after_long_ = bursts >= long_ ? window_.filled() : kNone; }
  // The banks that the port of the last run comes to next.
  std::uint64_t next_banks() const;

 private:
  bool suits(int port) const;
  void plan_rows(std::int64_t entry);
  void plan_columns(std::int64_t entry, std::int64_t last_column);
  bool cut_at_refresh();
  std::int64_t ready(const RowOpening& row, std::int64_t entry) const;
  std::int64_t slots_for_refresh(std::int64_t from, std::int64_t to) const;

  const config::Memory& memory_;
  const DramState& state_;
  const RequestPorts& ports_;
  const RequestWindow& window_;
  const Refresher& refresher_;
  RunRows rows_;
  bool enabled_;
  std::int64_t long_, shortest_, lookahead_;  // bursts, bursts, cycles
  // The payload done last was a long one, in closed form, if no slot has been filled since: slots filled by then.
  std::int64_t after_long_ = kNone;
  Run run_;
};

}  // namespace edgenpu::hardware
