#include "hardware/memory/memory_bench.h"

#include <algorithm>
#include <chrono>
#include <ctime>

#include "base/rates.h"

namespace edgenpu::hardware {

namespace {

// Latencies in clocks: exact to kFine, then by powers of two over eight steps.
class Histogram {
 public:
  Histogram() : bins_(kFine + 64 * 8) {}

  void add(std::int64_t latency, std::int64_t queue, std::int64_t n = 1) {
    if (n <= 0) return;
    count_ += n;
    sum_ += n * latency;
    queue_ += n * queue;
    max_ = std::max(max_, latency);
    bins_[bin(latency)] += n;
  }
  void add(const Histogram& o) {
    count_ += o.count_;
    sum_ += o.sum_;
    queue_ += o.queue_;
    max_ = std::max(max_, o.max_);
    for (std::size_t i = 0; i < bins_.size(); ++i) bins_[i] += o.bins_[i];
  }
  // The smallest latency that a share of the requests does not exceed.
  std::int64_t quantile(double share) const {
    const auto wanted = static_cast<std::int64_t>(share * static_cast<double>(count_) + 0.999999);
    std::int64_t seen = 0;
    for (std::size_t i = 0; i < bins_.size(); ++i)
      if ((seen += bins_[i]) >= wanted && seen > 0) return std::min(upper(i), max_);
    return max_;
  }
  result::MemoryLatency summary(double period_ns, double extra_ns) const {
    result::MemoryLatency l;
    l.count = count_;
    if (count_ == 0) return l;
    const auto n = static_cast<double>(count_);
    l.mean = static_cast<double>(sum_) / n * period_ns + extra_ns;
    l.queue_mean = static_cast<double>(queue_) / n * period_ns;
    l.service_mean = l.mean - l.queue_mean;
    l.p50 = static_cast<double>(quantile(0.5)) * period_ns + extra_ns;
    l.p99 = static_cast<double>(quantile(0.99)) * period_ns + extra_ns;
    l.max = static_cast<double>(max_) * period_ns + extra_ns;
    return l;
  }
  // By powers of two.
  std::vector<result::LatencyBin> coarse(double period_ns, double extra_ns) const {
    std::vector<result::LatencyBin> out;
    std::int64_t limit = 16, n = 0;
    for (std::size_t i = 0; i < bins_.size() && count_ > 0; ++i) {
      while (upper(i) > limit) {
        if (n > 0 || !out.empty()) out.push_back({static_cast<double>(limit) * period_ns + extra_ns, n});
        n = 0;
        if (limit >= max_) return out;
        limit *= 2;
      }
      n += bins_[i];
    }
    return out;
  }

 private:
  static constexpr std::size_t kFine = 4096;

  static std::size_t bin(std::int64_t v) {
    const auto u = static_cast<std::size_t>(v);
    if (u < kFine) return u;
    const int top = 63 - __builtin_clzll(u);
    return kFine + static_cast<std::size_t>(top - 12) * 8 + ((u >> (top - 3)) & 7);
  }
  static std::int64_t upper(std::size_t i) {
    if (i < kFine) return static_cast<std::int64_t>(i);
    const std::size_t top = (i - kFine) / 8 + 12, step = (i - kFine) % 8;
    if (top > 61) return INT64_MAX / 2;
    return (static_cast<std::int64_t>(step + 9) << (top - 3)) - 1;
  }

  std::vector<std::int64_t> bins_;
  std::int64_t count_ = 0, sum_ = 0, queue_ = 0, max_ = 0;
};

struct InFlight {
  std::int64_t admitted = 0;
  bool write = false;
};

// One channel's closed loop.
class Loop {
 public:
  Loop(const config::Memory& m, const timing::AddressMap& map, int index, const BenchOptions& options,
       activity::Counters& counters, activity::LossLedger& ledger)
      : memory_(m),
        map_(map),
        index_(index),
        options_(options),
        channel_(m, map, index, options.detail, 1, counters, ledger),
        flights_(static_cast<std::size_t>(options.window)),
        burst_bytes_(m.burst_bytes().count()) {
    for (int i = options.window; i-- > 0;) free_.push_back(i);
    latency_cycles_ = channel_.time().cycle_at_or_after(m.controller.latency + m.controller.fabric_latency);
    if (options.listener) channel_.set_listener(options.listener(index));
  }

  // As run(), a run of requests at a time.
  void run_in_runs(TrafficSource& source) {
    const int payloads = 2;  // one on the data bus, one whose rows are being opened
    std::deque<std::int64_t> sizes;
    std::int64_t before = 0, now = 0, n = 0;
    more_ = (n = fetch_run(source)) > 0;
    while (more_ || !sizes.empty()) {
      while (more_ && static_cast<int>(sizes.size()) < payloads && channel_.has_room(0)) {
        if (first < 0) first = now;
        ChannelRequest r;
        r.write = next_.write;
        r.burst = map_.local(next_.address) / burst_bytes_;
        r.bursts = n * options_.request_bytes / burst_bytes_;
        if (options_.admitted) options_.admitted(index_, now, next_);
        channel_.accept(now, channel_.time().at(now), r);
        sizes.push_back(next_.write ? -n : n);
        requests += n;
        bytes += n * options_.request_bytes;
        more_ = (n = fetch_run(source)) > 0;
      }
      now = channel_.run_to_completion(kNever);
      while (channel_.has_completion(now)) {
        const Completion c = channel_.pop_completion();
        add_run(sizes.front(), c.cycle - before);
        before = c.cycle;
        sizes.pop_front();
      }
    }
    finished_ = std::max(now, channel_.last_data());
    channel_.run_until(finished_);
  }

  void run(TrafficSource& source) {
    more_ = fetch(source);
    std::int64_t now = 0, ended = -1;
    while (more_ || !channel_.idle() || !returning_.empty()) {
      while (more_ && can_admit(now)) {
        admit(now);
        more_ = fetch(source);
      }
      if (!more_ && ended < 0) {
        ended = now;
        queued_at_end = options_.window - static_cast<std::int64_t>(free_.size() + returning_.size());
      }
      now = advance(now);
    }
    finished_ = std::max(now, channel_.last_data());
    drain = finished_ - std::max<std::int64_t>(ended, 0);
    channel_.run_until(finished_);
  }

  std::int64_t requests = 0, bytes = 0, first = -1;
  std::int64_t queued_at_end = 0, drain = 0;  // when the stream ended, and the cycles they took
  Histogram reads, writes;
  const Channel& channel() const { return channel_; }
  Channel& channel() { return channel_; }
  std::int64_t finished() const { return finished_; }

 private:
  // The first request of the next run on this channel is in next_; the number of its requests, 0 at the end.
  std::int64_t fetch_run(TrafficSource& source) {
    const std::int64_t granule = map_.granule_bytes(), size = options_.request_bytes;
    while (source.next(next_)) {
      const std::int64_t n = 1 + source.take_run((granule - next_.address % granule) / size - 1);
      if (map_.channel_of(next_.address) == index_) return n;
    }
    return 0;
  }
  // `n` requests (negative: writes) that took the channel `cycles`, in a loop of a full window.
  void add_run(std::int64_t n, std::int64_t cycles) {
    const bool write = n < 0;
    n = std::abs(n);
    const std::int64_t data = n * (options_.request_bytes / burst_bytes_) * memory_.t.BL.count();
    const std::int64_t wait = options_.window * data / n;
    const std::int64_t hit = std::min<std::int64_t>(n, options_.window);
    // The bursts of a request follow each other, in one bank group or from group to group.
    const std::int64_t step = (map_.group_mask() & 1 ? memory_.t.tCCD_S : memory_.t.tCCD_L).count();
    const std::int64_t service = (write ? timing::write_data_end(memory_) : timing::read_data_end(memory_)) +
                                 (options_.request_bytes / burst_bytes_ - 1) * step;
    Histogram& h = write ? writes : reads;
    h.add(wait, wait - service, n - hit);
    h.add(wait + cycles - data, wait + cycles - data - service, hit);
  }
  bool fetch(TrafficSource& source) {
    while (source.next(next_))
      if (map_.channel_of(next_.address) == index_) return true;
    return false;
  }
  bool can_admit(std::int64_t now) const {
    return !free_.empty() && next_.not_before <= now && channel_.has_room(0);
  }
  void admit(std::int64_t now) {
    const std::int32_t id = free_.back();
    free_.pop_back();
    flights_[static_cast<std::size_t>(id)] = {now, next_.write};
    // A request covers the aligned block of its size around its address.
    const std::int64_t size = next_.bytes > 0 ? next_.bytes : options_.request_bytes;
    const std::int64_t local = map_.local(next_.address) / size * size;
    ChannelRequest r;
    r.id = id;
    r.write = next_.write;
    r.burst = local / burst_bytes_;
    r.bursts = (local + size - 1) / burst_bytes_ - r.burst + 1;
    if (options_.admitted) options_.admitted(index_, now, next_);
    channel_.accept(now, channel_.time().at(now), r);
    if (first < 0) first = now;
    ++requests;
    bytes += size;
  }
  // To the next moment at which something can be admitted or ends.
  std::int64_t advance(std::int64_t now) {
    std::int64_t limit = kNever;
    if (more_ && !free_.empty() && next_.not_before > now) limit = next_.not_before;
    if (!returning_.empty()) limit = std::min(limit, returning_.front().first);
    const std::int64_t then = channel_.run_to_completion(limit);
    while (channel_.has_completion(then)) {
      const Completion c = channel_.pop_completion();
      const InFlight& f = flights_[static_cast<std::size_t>(c.id)];
      (f.write ? writes : reads).add(c.cycle - f.admitted, c.service - f.admitted);
      if (latency_cycles_ > 0)
        returning_.emplace_back(c.cycle + latency_cycles_, c.id);
      else
        free_.push_back(c.id);
    }
    while (!returning_.empty() && returning_.front().first <= then) {
      free_.push_back(returning_.front().second);
      returning_.pop_front();
    }
    return then;
  }

  const config::Memory& memory_;
  const timing::AddressMap& map_;
  int index_;
  const BenchOptions& options_;
  Channel channel_;
  std::vector<InFlight> flights_;
  std::vector<std::int32_t> free_;
  std::deque<std::pair<std::int64_t, std::int32_t>> returning_;
  TrafficRequest next_;
  bool more_ = false;
  std::int64_t burst_bytes_, latency_cycles_ = 0, finished_ = 0;
};

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
  if (options.detail != Detail::row || options.window * options.request_bytes < 2 * unloaded) return false;
  if (options.request_bytes % m.burst_bytes().count() != 0) return false;
  const std::int64_t granule = m.interleave.count(), size = options.request_bytes;
  TrafficRequest r;
  for (int i = 0; i < kLook && source.next(r); ++i) {
    if (r.bytes > 0 || r.not_before > 0 || r.address % size != 0) return false;
    const std::int64_t n = 1 + source.take_run((granule - r.address % granule) / size - 1);
    if (i == 0 && (n * size < kShortest || n < options.window)) return false;
  }
  return true;
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
  Histogram reads, writes;
  std::vector<std::int64_t> starts, ends;
  std::int64_t drained = 0, state_cycles[4] = {};
  for (int c = 0; c < m.channels; ++c) {
    activity::Counters counters(1);
    activity::LossLedger ledger(m.channels, 1);
    Loop loop(m, map, c, options, counters, ledger);
    const auto source = traffic();
    if (comes_in_runs(m, *traffic(), options))
      loop.run_in_runs(*source);
    else
      loop.run(*source);
    result::MemoryChannel channel;
    channel.requests = loop.requests;
    channel.bytes = loop.bytes;
    r.queued_at_end += loop.queued_at_end;
    drained = std::max(drained, loop.drain);
    const PowerTimes power = loop.channel().power_times(loop.finished());
    const std::int64_t states[4] = {power.active, power.precharged, power.power_down, power.self_refresh};
    for (std::size_t i = 0; i < 4; ++i) state_cycles[i] += states[i];
    read_counters(counters, DramCounters(counters), m.burst_bytes().count() * 8, channel.commands,
                  channel.rows);
    starts.push_back(std::max<std::int64_t>(loop.first, 0));
    ends.push_back(loop.finished());
    reads.add(loop.reads);
    writes.add(loop.writes);
    r.cycles = std::max(r.cycles, loop.finished());
    r.dram_commands += loop.channel().commands();
    add(r, channel);
    r.channels.push_back(channel);
  }
  r.memory = m.name;
  r.confirmed = m.confirmed;
  r.mapping = m.mapping_text();
  r.refresh = m.refresh == config::RefreshMode::ab   ? "ab"
              : m.refresh == config::RefreshMode::pb ? "pb"
                                                     : "none";
  r.detail = options.detail == Detail::row ? "row" : "burst";
  r.traffic = traffic_name;
  r.window = options.window;
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
  const std::int64_t columns = r.commands.rd + r.commands.wr;
  r.row_hit_rate = columns ? 1 - static_cast<double>(r.commands.act) / static_cast<double>(columns) : 0;
  for (std::size_t c = 0; c < r.channels.size(); ++c) {
    result::MemoryChannel& ch = r.channels[c];
    const double bytes = static_cast<double>(ch.bytes), peak = m.channel_peak().count() * 1e-9;
    ch.active_ns = static_cast<double>(ends[c] - starts[c]) * period;
    if (ch.active_ns > 0) ch.utilisation_active = bytes / ch.active_ns / peak;
    if (r.time_ns > 0) ch.utilisation_run = bytes / r.time_ns / peak;
  }
  r.cpu_s = cpu_seconds() - cpu;
  r.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
  return r;
}

}  // namespace edgenpu::hardware
