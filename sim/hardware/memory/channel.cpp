#include "hardware/memory/channel.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/error.h"

namespace edgenpu::hardware {

namespace {

// Sets of banks are masks of 64 bits.
const config::Memory& of_at_most_64_banks(const config::Memory& m) {
  if (m.ranks * m.banks() > 64) throw InternalError("a channel of more than 64 banks");
  return m;
}

}  // namespace

Channel::Channel(const config::Memory& m, const timing::AddressMap& map, int index, Detail detail, int ports,
                 activity::Counters& counters, activity::LossLedger& ledger)
    : memory_(m),
      map_(map),
      state_(of_at_most_64_banks(m)),
      meter_(m, index, counters, ledger),
      bus_(m),
      ports_(ports, m.controller.port_queue),
      window_(m, map, state_, ports_),
      refresher_(m, state_),
      sleep_(m),
      chooser_(m, state_, bus_, meter_, window_, refresher_),
      planner_(m, map, state_, ports_, window_, refresher_, detail == Detail::row),
      data_start_{timing::read_data_start(m), timing::write_data_start(m)} {}

void Channel::accept(std::int64_t cycle, Femtoseconds now, const ChannelRequest& what) {
  if (running() && planner_.run().port != what.port) commit_run(cycle);
  if (pending_ == 0) {
    refresher_.data_moved();
    meter_.idle_until(now, what.op);
    wake_up(cycle);
  }
  meter_.arrives(now, what.op);
  ports_.accept(cycle, what);
  ++pending_;
  bus_.not_before(cycle + 1);
  chosen_valid_ = false;
  feed();
}

// Moves pieces into the windows until nothing fits. One master alone: lets the windows drain and does its large
// payloads in closed form.
void Channel::feed() {
  if (planner_.enabled()) {
    const int port = planner_.port();
    if (port != kNone && window_.size() == window_.of_port(port)) return;
  }
  window_.fill(bus_.free() - 1);
}

void Channel::complete(std::int32_t index, std::int64_t cycle) {
  const PendingRequest& r = ports_[index];
  completions_.push_back({cycle, r.service, r.what.id});
  meter_.leaves(r.what.op);
  ports_.release(index);
}

Completion Channel::pop_completion() {
  const Completion c = completions_.front();
  completions_.pop_front();
  if (--pending_ == 0) {
    meter_.flush();
    sleep_.work_ends(c.cycle);
  }
  return c;
}

const Candidate& Channel::chosen() {
  if (!chosen_valid_) chosen_ = chooser_.choose();
  chosen_valid_ = true;
  return chosen_;
}

void Channel::run_until(std::int64_t limit) {
  for (;;) {
    if (running()) {
      if (planner_.run().last > limit) return;
      commit_run(planner_.run().last);
      continue;
    }
    if (planner_.enabled() && planner_.can_run() && planner_.plan(last_column_)) continue;
    const std::int64_t next = chosen().cycle;
    const std::int64_t due = refresher_.next_due();
    if (pending_ == 0 && state_.open()) close_before_sleep(std::min(limit, due));
    if (!chosen_valid_) continue;
    if (due <= next && due <= limit) {
      if (pending_ == 0 && due > sleep_.self_refresh_begins()) return;
      if (skip_idle_refreshes(limit)) continue;
      refresher_.fall_due(due);
      bus_.not_before(due);
      chosen_valid_ = false;
      continue;
    }
    if (next > limit) return;
    execute(chosen_);
  }
}

std::int64_t Channel::run_to_completion(std::int64_t limit) {
  while (completions_.empty()) {
    const std::int64_t wake = std::min(wake_cycle(), limit);
    if (pending_ > 0 && wake >= kNever)
      throw InternalError("nothing can happen in the memory: " + describe());
    run_until(wake);
    if (wake == limit) return limit;
  }
  const std::int64_t end = std::min(completions_.front().cycle, limit);
  run_until(end);
  return end;
}

std::int64_t Channel::wake_cycle() {
  if (!completions_.empty()) return completions_.front().cycle;
  if (pending_ == 0) return kNever;
  if (planner_.enabled() && !running() && planner_.can_run()) planner_.plan(last_column_);
  if (running()) {
    const Run& run = planner_.run();
    const std::int64_t end = run.write ? timing::write_data_end(memory_) : timing::read_data_end(memory_);
    return ports_[run.request].left == run.bursts ? run.last + end : run.last + 1;
  }
  const std::int64_t data = std::min(timing::read_data_end(memory_), timing::write_data_end(memory_));
  return std::min(chosen().cycle, refresher_.next_due()) + data;
}

std::string Channel::describe() const {
  if (pending_ == 0) return "nothing pending";
  return fmt::format(
      "{} payloads pending, {} reads and {} writes in the window;{} next command {} in cycle {}", pending_,
      window_.size(0), window_.size(1), ports_.describe(),
      timing::kCommandNames[static_cast<std::size_t>(chosen_.command)], chosen_.cycle);
}

}  // namespace edgenpu::hardware
