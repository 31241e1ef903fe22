#include "hardware/memory/memory_bench.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <memory>

#include "base/rates.h"
#include "hardware/memory/closed_loop.h"

namespace edgenpu::hardware {

namespace {

std::int64_t count_of(const activity::Counters& counters, activity::CounterId id) {
  return counters.values()[static_cast<std::size_t>(static_cast<std::int32_t>(id))][0];
}

void read_counters(const activity::Counters& counters, const DramCounters& ids, std::int64_t burst_bits,
                   result::MemoryCommands& c, result::MemoryRows& rows) {
  c.act = count_of(counters, ids.activate);
  c.pre = count_of(counters, ids.precharge);
  c.rd = count_of(counters, ids.read_bits) / burst_bits;
  c.wr = count_of(counters, ids.write_bits) / burst_bits;
  c.ref_ab = count_of(counters, ids.refresh_ab);
  c.ref_pb = count_of(counters, ids.refresh_pb);
  rows.hits = count_of(counters, ids.hits);
  rows.misses = count_of(counters, ids.misses);
  rows.conflicts = count_of(counters, ids.conflicts);
}

void add(result::MemoryResult& r, const result::MemoryChannel& c) {
  r.requests += c.requests;
  r.bytes += c.bytes;
  r.commands.act += c.commands.act;
  r.commands.pre += c.commands.pre;
  r.commands.rd += c.commands.rd;
  r.commands.wr += c.commands.wr;
  r.commands.ref_ab += c.commands.ref_ab;
  r.commands.ref_pb += c.commands.ref_pb;
  r.rows.hits += c.rows.hits;
  r.rows.misses += c.rows.misses;
  r.rows.conflicts += c.rows.conflicts;
}

// See the header. Looks at the beginning of the stream.
bool comes_in_runs(const config::Memory& m, TrafficSource& source, const BenchOptions& options) {
  constexpr std::int64_t kShortest = 4096;
  constexpr int kLook = 64;
  const std::int64_t unloaded =
      static_cast<std::int64_t>(static_cast<double>(timing::read_data_end(m)) * m.channel_peak().count() /
                                static_cast<double>(m.clock.count()));
  if (!source.in_runs() || options.detail != Detail::row ||
      options.window * options.request_bytes < 2 * unloaded)
    return false;
  if (options.request_bytes % m.burst_bytes().count() != 0) return false;
  const std::int64_t granule = m.interleave.count(), size = options.request_bytes;
  TrafficRequest r;
  for (int i = 0; i < kLook && source.next(r); ++i) {
    if (r.address % size != 0) return false;
    const std::int64_t n = 1 + source.take_run((granule - r.address % granule) / size - 1);
    if (i == 0 && (n * size < kShortest || n < options.window)) return false;
  }
  return true;
}

void describe(result::MemoryResult& r, const config::Memory& m, const BenchOptions& options) {
  r.memory = m.name;
  r.confirmed = m.confirmed;
  r.mapping = m.mapping_text();
  r.refresh = m.refresh == config::RefreshMode::ab   ? "ab"
              : m.refresh == config::RefreshMode::pb ? "pb"
                                                     : "none";
  r.detail = options.detail == Detail::row ? "row" : "burst";
  r.window = options.window;
}

// Of each channel, `starts` to `ends` in clocks of `period` ns.
void divide_by_time(result::MemoryResult& r, const config::Memory& m, const std::vector<std::int64_t>& starts,
                    const std::vector<std::int64_t>& ends, double period) {
  // Of bursts, not of activates: a row that a refresh closes unused is opened twice for one burst.
  const std::int64_t bursts = r.rows.hits + r.rows.misses + r.rows.conflicts;
  r.row_hit_rate = bursts ? static_cast<double>(r.rows.hits) / static_cast<double>(bursts) : 0;
  for (std::size_t c = 0; c < r.channels.size(); ++c) {
    result::MemoryChannel& ch = r.channels[c];
    const double bytes = static_cast<double>(ch.bytes), peak = m.channel_peak().count() * 1e-9;
    ch.active_ns = static_cast<double>(ends[c] - starts[c]) * period;
    if (ch.active_ns > 0) ch.utilisation_active = bytes / ch.active_ns / peak;
    if (r.time_ns > 0) ch.utilisation_run = bytes / r.time_ns / peak;
  }
}

struct ChannelRun {
  ChannelRun(const config::Memory& m, const timing::AddressMap& map, int channel, const BenchOptions& options)
      : counters(1), ledger(m.channels, 1), loop(m, map, channel, options, counters, ledger) {}
  activity::Counters counters;
  activity::LossLedger ledger;
  ClosedLoop loop;
};

// Each to the end of its own stream.
std::vector<std::unique_ptr<ChannelRun>> run_channels(const config::Memory& m, const timing::AddressMap& map,
                                                      const TrafficFactory& traffic,
                                                      const BenchOptions& options) {
  std::vector<std::unique_ptr<ChannelRun>> runs;
  for (int c = 0; c < m.channels; ++c) {
    runs.push_back(std::make_unique<ChannelRun>(m, map, c, options));
    const auto source = traffic();
    if (comes_in_runs(m, *traffic(), options))
      runs.back()->loop.run_in_runs(*source);
    else
      runs.back()->loop.run(*source);
  }
  return runs;
}

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

}  // namespace

result::MemoryResult run_memory_bench(const config::Memory& m, const TrafficFactory& traffic,
                                      const std::string& traffic_name, const BenchOptions& options) {
  const double cpu = cpu_seconds();
  const auto wall = std::chrono::steady_clock::now();
  result::MemoryResult r;
  const timing::AddressMap map(m);
  const double period = 1e9 / static_cast<double>(m.clock.count());
  const double extra =
      static_cast<double>((m.controller.latency + m.controller.fabric_latency).count()) * 1e-6;
  LatencyHistogram reads, writes;
  std::vector<std::int64_t> starts, ends;
  std::int64_t drained = 0, state_cycles[4] = {};
  const std::vector<std::unique_ptr<ChannelRun>> runs = run_channels(m, map, traffic, options);
  for (const auto& run : runs) r.cycles = std::max(r.cycles, run->loop.finished());
  for (const auto& run : runs) {
    ClosedLoop& loop = run->loop;
    // A channel that has nothing to do, or nothing left, is refreshed and draws power to the end.
    loop.rest_until(r.cycles);
    result::MemoryChannel channel;
    channel.requests = loop.requests;
    channel.bytes = loop.bytes;
    r.queued_at_end += loop.queued_at_end;
    drained = std::max(drained, loop.drain);
    const PowerTimes power = loop.channel().power_times(r.cycles);
    const std::int64_t states[4] = {power.active, power.precharged, power.power_down, power.self_refresh};
    for (std::size_t i = 0; i < 4; ++i) state_cycles[i] += states[i];
    read_counters(run->counters, DramCounters(run->counters), m.burst_bytes().count() * 8, channel.commands,
                  channel.rows);
    starts.push_back(std::max<std::int64_t>(loop.first, 0));
    ends.push_back(loop.finished());
    reads.add(loop.reads);
    writes.add(loop.writes);
    r.dram_commands += loop.channel().commands();
    add(r, channel);
    r.channels.push_back(channel);
  }
  describe(r, m, options);
  r.traffic = traffic_name;
  r.time_ns = static_cast<double>(r.cycles) * period;
  r.peak_GBps = m.peak().count() * 1e-9;
  if (r.cycles > 0) r.achieved_GBps = static_cast<double>(r.bytes) / r.time_ns;
  r.utilisation = r.achieved_GBps / r.peak_GBps;
  r.read_latency_ns = reads.summary(period, extra);
  r.write_latency_ns = writes.summary(period, extra);
  r.drain_ns = static_cast<double>(drained) * period;
  static const char* const kStates[4] = {"active_standby", "precharge_standby", "power_down", "self_refresh"};
  for (std::size_t i = 0; i < 4; ++i)
    r.power_states_s.emplace_back(kStates[i], static_cast<double>(state_cycles[i]) * period * 1e-9);
  r.read_histogram = reads.coarse(period, extra);
  divide_by_time(r, m, starts, ends, period);
  r.cpu_s = cpu_seconds() - cpu;
  r.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
  return r;
}

}  // namespace edgenpu::hardware
