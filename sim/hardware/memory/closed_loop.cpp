#include "hardware/memory/closed_loop.h"

#include <algorithm>

namespace edgenpu::hardware {

ClosedLoop::ClosedLoop(const config::Memory& m, const timing::AddressMap& map, int index,
                       const BenchOptions& options, activity::Counters& counters,
                       activity::LossLedger& ledger)
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

void ClosedLoop::run_in_runs(TrafficSource& source) {
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

void ClosedLoop::run(TrafficSource& source) {
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

std::int64_t ClosedLoop::fetch_run(TrafficSource& source) {
  const std::int64_t granule = map_.granule_bytes(), size = options_.request_bytes;
  while (source.next(next_)) {
    const std::int64_t n = 1 + source.take_run((granule - next_.address % granule) / size - 1);
    if (map_.channel_of(next_.address) == index_) return n;
  }
  return 0;
}

void ClosedLoop::add_run(std::int64_t n, std::int64_t cycles) {
  const bool write = n < 0;
  n = std::abs(n);
  const std::int64_t data = n * (options_.request_bytes / burst_bytes_) * memory_.t.BL.count();
  const std::int64_t wait = options_.window * data / n;
  const std::int64_t hit = std::min<std::int64_t>(n, options_.window);
  // The bursts of a request follow each other, in one bank group or from group to group.
  const std::int64_t step = (map_.group_mask() & 1 ? memory_.t.tCCD_S : memory_.t.tCCD_L).count();
  const std::int64_t service = (write ? timing::write_data_end(memory_) : timing::read_data_end(memory_)) +
                               (options_.request_bytes / burst_bytes_ - 1) * step;
  LatencyHistogram& h = write ? writes : reads;
  h.add(wait, wait - service, n - hit);
  h.add(wait + cycles - data, wait + cycles - data - service, hit);
}

bool ClosedLoop::fetch(TrafficSource& source) {
  while (source.next(next_))
    if (map_.channel_of(next_.address) == index_) {
      if (next_.relative) next_.not_before += late_;
      return true;
    }
  return false;
}

void ClosedLoop::admit(std::int64_t now) {
  const std::int32_t id = free_.back();
  free_.pop_back();
  flights_[static_cast<std::size_t>(id)] = {now, next_.write};
  if (next_.relative) late_ += now - next_.not_before;
  const std::int64_t size = next_.bytes > 0 ? next_.bytes : options_.request_bytes;
  const std::int64_t at = map_.local(next_.address), local = next_.bytes > 0 ? at : at / size * size;
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

std::int64_t ClosedLoop::advance(std::int64_t now) {
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

}  // namespace edgenpu::hardware
