#include "hardware/memory/memory_system.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/rates.h"
#include "timing/background.h"

namespace edgenpu::hardware {

namespace {

using tlm::tlm_generic_payload;
using tlm::tlm_phase;
using tlm::tlm_sync_enum;

bool is_background(const tlm_generic_payload& payload) {
  const RequestTag* tag = payload.get_extension<RequestTag>();
  return tag && tag->background;
}

}  // namespace

MemorySystem::MemorySystem(sc_core::sc_module_name name, const config::Memory& memory, Detail detail,
                           activity::Counters& counters, activity::LossLedger& ledger, int masters)
    : sc_module(name),
      memory_(memory),
      map_(memory_),
      channels_(static_cast<std::size_t>(memory.channels)),
      masters_(static_cast<std::size_t>(masters)),
      burst_bytes_(memory.burst_bytes().count()),
      latency_(memory.controller.latency + memory.controller.fabric_latency),
      ids_(counters),
      counters_(counters) {
  if (sc_core::sc_get_time_resolution() != sc_core::sc_time(1, sc_core::SC_FS))
    throw InternalError("the time resolution must be 1 fs");
  if (timing::has_background(memory))
    background_B_ = counters.declare(
        {timing::kBackgroundBytes, "bytes", "Bytes that masters beside the step have read.", false});
  for (int m = 0; m < masters; ++m) {
    sockets_.push_back(std::make_unique<Socket>(fmt::format("port{}", m).c_str()));
    sockets_.back()->register_nb_transport_fw(this, &MemorySystem::nb_transport_fw, m);
    masters_[static_cast<std::size_t>(m)].delayed = std::make_unique<DelayedCalls>(*this, m);
  }
  for (int c = 0; c < memory.channels; ++c) {
    ChannelShell& shell = channels_[static_cast<std::size_t>(c)];
    shell.channel = std::make_unique<Channel>(memory_, map_, c, detail, masters, counters, ledger);
    shell.wake = std::make_unique<sc_core::sc_event>(fmt::format("wake{}", c).c_str());
    sc_core::sc_spawn_options options;
    options.spawn_method();
    options.dont_initialize();
    options.set_sensitivity(shell.wake.get());
    sc_core::sc_spawn([this, c] { on_wake(c); }, fmt::format("channel{}", c).c_str(), &options);
  }
}

tlm_sync_enum MemorySystem::nb_transport_fw(int master, tlm_generic_payload& payload, tlm_phase& phase,
                                            sc_core::sc_time& delay) {
  if (delay != sc_core::SC_ZERO_TIME) {
    masters_[static_cast<std::size_t>(master)].delayed->queue.notify(payload, phase, delay);
    return tlm::TLM_ACCEPTED;
  }
  if (phase == tlm::BEGIN_REQ) return begin_request(master, payload, phase);
  if (phase != tlm::END_RESP) throw InternalError("a phase that the memory does not know");
  end_response(master);
  return tlm::TLM_COMPLETED;
}

// A call that was annotated with a delay, when its time has come: the answer goes back as a call.
void MemorySystem::after_delay(int master, tlm_generic_payload& payload, const tlm_phase& phase) {
  if (phase == tlm::END_RESP) return end_response(master);
  tlm_phase answer = phase;
  if (begin_request(master, payload, answer) == tlm::TLM_ACCEPTED) return;
  sc_core::sc_time zero = sc_core::SC_ZERO_TIME;
  (*sockets_[static_cast<std::size_t>(master)])->nb_transport_bw(payload, answer, zero);
}

bool MemorySystem::valid(tlm_generic_payload& payload) const {
  const auto address = static_cast<std::int64_t>(payload.get_address());
  const auto length = static_cast<std::int64_t>(payload.get_data_length());
  const std::int64_t granule = memory_.interleave.count();
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  if (address < 0 || length <= 0 || address > memory_.capacity.count() - length)
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  else if (address / granule != (address + length - 1) / granule)
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
  else if (payload.get_command() == tlm::TLM_IGNORE_COMMAND)
    payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
  return payload.is_response_ok();
}

tlm_sync_enum MemorySystem::begin_request(int master, tlm_generic_payload& payload, tlm_phase& phase) {
  ++events_;
  if (!is_background(payload)) ++step_requests_;
  if (!valid(payload)) {
    phase = tlm::BEGIN_RESP;
    return tlm::TLM_COMPLETED;
  }
  if (!is_background(payload))
    counters_.add(operator_for(payload), payload.is_read() ? ids_.read_B : ids_.write_B,
                  static_cast<std::int64_t>(payload.get_data_length()));
  if (memory_.ideal) {
    phase = tlm::BEGIN_RESP;
    return tlm::TLM_COMPLETED;
  }
  Master& m = masters_[static_cast<std::size_t>(master)];
  if (m.refused) throw InternalError("a second request before the first was accepted");
  const int channel = map_.channel_of(static_cast<std::int64_t>(payload.get_address()));
  if (!channels_[static_cast<std::size_t>(channel)].channel->has_room(master)) {
    m.refused = &payload;
    arm(channel);
    return tlm::TLM_ACCEPTED;
  }
  submit(channel, master, payload);
  const ChannelShell& shell = channels_[static_cast<std::size_t>(channel)];
  if (!shell.armed || !shell.channel->running()) arm(channel);
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

activity::OperatorId MemorySystem::operator_for(const tlm_generic_payload& payload) {
  const RequestTag* tag = payload.get_extension<RequestTag>();
  if (!tag || !tag->background) served_ = tag ? tag->op : activity::OperatorId(0);
  return served_;
}

void MemorySystem::submit(int channel, int master, tlm_generic_payload& payload) {
  std::int32_t id;
  if (free_.empty()) {
    id = static_cast<std::int32_t>(pending_.size());
    pending_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  pending_[static_cast<std::size_t>(id)] = {&payload, master};
  Channel& c = *channels_[static_cast<std::size_t>(channel)].channel;
  const Femtoseconds t = now_fs();
  const std::int64_t cycle = c.time().cycle_at_or_after(t);
  const std::int64_t local = map_.local(static_cast<std::int64_t>(payload.get_address()));
  const std::int64_t end = local + static_cast<std::int64_t>(payload.get_data_length());
  ChannelRequest r;
  r.id = id;
  r.port = master;
  r.write = payload.is_write();
  r.urgent = is_background(payload);
  r.op = operator_for(payload);
  r.burst = local / burst_bytes_;
  r.bursts = ceil_div(end, burst_bytes_) - r.burst;
  c.run_until(cycle);
  collect(channel, cycle);
  c.accept(cycle, t, r);
}

// What is done up to `cycle`: its responses wait for the latencies.
void MemorySystem::collect(int channel, std::int64_t cycle) {
  ChannelShell& shell = channels_[static_cast<std::size_t>(channel)];
  Channel& c = *shell.channel;
  while (c.has_completion(cycle)) {
    const Completion done = c.pop_completion();
    shell.responses.emplace_back(c.time().at(done.cycle) + latency_, done.id);
  }
}

// Only who waits for room needs to know when a payload ends; everybody else, when its response is due.
Femtoseconds MemorySystem::wake_delay(int channel) const {
  for (const Master& m : masters_)
    if (m.refused && map_.channel_of(static_cast<std::int64_t>(m.refused->get_address())) == channel)
      return Femtoseconds(0);
  return latency_;
}

void MemorySystem::arm(int channel) {
  ChannelShell& shell = channels_[static_cast<std::size_t>(channel)];
  std::int64_t wake = shell.channel->wake_cycle();
  Femtoseconds at =
      wake >= kNever ? Femtoseconds(INT64_MAX) : shell.channel->time().at(wake) + wake_delay(channel);
  if (!shell.responses.empty() && shell.responses.front().first < at) at = shell.responses.front().first;
  if (at.count() == INT64_MAX) return;
  const sc_core::sc_time when = to_sc(at);
  if (shell.armed && shell.wake_at == when) return;
  shell.wake->cancel();
  shell.armed = true;
  shell.wake_at = when;
  const sc_core::sc_time t = sc_core::sc_time_stamp();
  shell.wake->notify(when > t ? when - t : sc_core::SC_ZERO_TIME);
}

void MemorySystem::on_wake(int channel) {
  ++events_;
  ChannelShell& shell = channels_[static_cast<std::size_t>(channel)];
  shell.armed = false;
  Channel& c = *shell.channel;
  const Femtoseconds t = now_fs();
  // Only whole cycles have passed; the one that begins at `t` counts.
  std::int64_t cycle = c.time().cycle_at_or_after(t);
  if (c.time().at(cycle) > t) --cycle;
  c.run_until(cycle);
  admit_refused(channel);
  collect(channel, cycle);
  while (!shell.responses.empty() && shell.responses.front().first <= t) {
    const std::int32_t id = shell.responses.front().second;
    shell.responses.pop_front();
    const int master = pending_[static_cast<std::size_t>(id)].master;
    masters_[static_cast<std::size_t>(master)].ready.push_back(id);
    respond(master);
  }
  arm(channel);
}

void MemorySystem::admit_refused(int channel) {
  for (std::size_t m = 0; m < masters_.size(); ++m) {
    tlm_generic_payload* payload = masters_[m].refused;
    if (!payload || map_.channel_of(static_cast<std::int64_t>(payload->get_address())) != channel) continue;
    const int master = static_cast<int>(m);
    if (!channels_[static_cast<std::size_t>(channel)].channel->has_room(master)) continue;
    masters_[m].refused = nullptr;
    submit(channel, master, *payload);
    tlm_phase phase = tlm::END_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    (*sockets_[m])->nb_transport_bw(*payload, phase, delay);
  }
}

void MemorySystem::respond(int master) {
  Master& m = masters_[static_cast<std::size_t>(master)];
  while (!m.responding && !m.ready.empty()) {
    const std::int32_t id = m.ready.front();
    m.ready.pop_front();
    tlm_generic_payload& payload = *pending_[static_cast<std::size_t>(id)].payload;
    free_.push_back(id);
    if (background_B_ && is_background(payload))
      counters_.add(served_, *background_B_, static_cast<std::int64_t>(payload.get_data_length()));
    m.responding = true;
    tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    const tlm_sync_enum answer =
        (*sockets_[static_cast<std::size_t>(master)])->nb_transport_bw(payload, phase, delay);
    if (answer != tlm::TLM_ACCEPTED) m.responding = false;
  }
}

void MemorySystem::end_response(int master) {
  masters_[static_cast<std::size_t>(master)].responding = false;
  respond(master);
}

void MemorySystem::finish() {
  const Femtoseconds t = now_fs();
  for (ChannelShell& shell : channels_) {
    std::int64_t cycle = shell.channel->time().cycle_at_or_after(t);
    if (shell.channel->time().at(cycle) > t) --cycle;
    if (!memory_.ideal) shell.channel->run_until(cycle);
  }
}

std::string MemorySystem::describe_pending() const {
  std::string text;
  for (std::size_t c = 0; c < channels_.size(); ++c)
    if (!channels_[c].channel->idle())
      text += fmt::format("memory channel {}: {}\n", c, channels_[c].channel->describe());
  for (std::size_t m = 0; m < masters_.size(); ++m) {
    if (masters_[m].refused) text += fmt::format("memory port {}: a request waits for room\n", m);
    if (masters_[m].responding)
      text +=
          fmt::format("memory port {}: {} responses wait for END_RESP\n", m, masters_[m].ready.size() + 1);
  }
  return text;
}

}  // namespace edgenpu::hardware
