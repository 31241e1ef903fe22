// Several masters on one channel, each with its own closed loop: for comparing the two details on mixed
// traffic.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "hardware/memory/channel.h"
#include "hardware/memory/dram_checker.h"

namespace edgenpu::hardware {

struct MasterRequest {
  std::int64_t address = 0, bytes = 64;
  bool write = false;
};

struct MasterSpec {
  int window = 1;
  std::int64_t think = 0;     // cycles between an end and the next request
  std::int64_t requests = 0;  // 0: as long as the others run
  std::function<MasterRequest(std::int64_t i)> request;
};

struct MasterOutcome {
  std::int64_t bytes = 0;
  std::vector<std::int64_t> latency;
  double mean() const {
    double sum = 0;
    for (const std::int64_t l : latency) sum += static_cast<double>(l);
    return latency.empty() ? 0 : sum / static_cast<double>(latency.size());
  }
  std::int64_t quantile(double share) const {
    std::vector<std::int64_t> sorted = latency;
    std::sort(sorted.begin(), sorted.end());
    return sorted.empty() ? 0
                          : sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
  }
};

struct MastersOutcome {
  std::vector<MasterOutcome> masters;
  std::int64_t cycles = 0, bytes = 0;
  double utilisation = 0;
  std::vector<std::pair<std::string, std::int64_t>> counts;
  std::int64_t count(const std::string& name) const {
    for (const auto& c : counts)
      if (c.first == name) return c.second;
    return -1;
  }
  // Prices of an LPDDR5-class device: what row activation, data and refresh weigh against each other.
  double energy() const {
    return 1.3e-9 * static_cast<double>(count("dram_activate")) +
           4e-12 * static_cast<double>(count("dram_read_bits") + count("dram_write_bits")) +
           40e-9 * static_cast<double>(count("dram_refresh_ab")) +
           3e-9 * static_cast<double>(count("dram_refresh_pb"));
  }
};

inline MastersOutcome run_masters(const config::Memory& m, Detail detail,
                                  const std::vector<MasterSpec>& specs) {
  const timing::AddressMap map(m);
  activity::Counters counters(1);
  activity::LossLedger ledger(1, 1);
  Channel channel(m, map, 0, detail, static_cast<int>(specs.size()), counters, ledger);
  struct Flight {
    int master;
    std::int64_t admitted, bytes;
  };
  struct Master {
    std::int64_t sent = 0;
    std::vector<std::int64_t> free_at;  // one entry per free place in the window
  };
  std::vector<Flight> flights;
  std::vector<std::int32_t> free_ids;
  std::vector<Master> masters(specs.size());
  MastersOutcome out;
  out.masters.resize(specs.size());
  for (std::size_t i = 0; i < specs.size(); ++i)
    for (int w = 0; w < specs[i].window; ++w) masters[i].free_at.push_back(static_cast<std::int64_t>(7 * i));
  const auto more = [&](std::size_t i) {
    return specs[i].requests == 0 || masters[i].sent < specs[i].requests;
  };
  const auto finished = [&] {
    for (std::size_t i = 0; i < specs.size(); ++i)
      if (specs[i].requests > 0 &&
          static_cast<std::int64_t>(out.masters[i].latency.size()) < specs[i].requests)
        return false;
    return true;
  };
  std::int64_t now = 0;
  while (!finished()) {
    std::int64_t next = kNever;
    for (std::size_t i = 0; i < specs.size(); ++i) {
      Master& master = masters[i];
      while (more(i) && !master.free_at.empty()) {
        const auto first = std::min_element(master.free_at.begin(), master.free_at.end());
        if (*first > now || !channel.has_room(static_cast<int>(i))) {
          if (*first > now) next = std::min(next, *first);
          break;
        }
        master.free_at.erase(first);
        const MasterRequest r = specs[i].request(master.sent++);
        std::int32_t id = static_cast<std::int32_t>(flights.size());
        if (free_ids.empty())
          flights.emplace_back();
        else
          id = free_ids.back(), free_ids.pop_back();
        flights[static_cast<std::size_t>(id)] = {static_cast<int>(i), now, r.bytes};
        ChannelRequest q;
        q.id = id;
        q.port = static_cast<int>(i);
        q.write = r.write;
        q.burst = r.address / m.burst_bytes().count();
        q.bursts = r.bytes / m.burst_bytes().count();
        channel.accept(now, channel.time().at(now), q);
      }
    }
    now = channel.run_to_completion(next);
    while (channel.has_completion(now)) {
      const Completion c = channel.pop_completion();
      const Flight& f = flights[static_cast<std::size_t>(c.id)];
      const auto i = static_cast<std::size_t>(f.master);
      out.masters[i].latency.push_back(c.cycle - f.admitted);
      out.masters[i].bytes += f.bytes;
      out.bytes += f.bytes;
      masters[i].free_at.push_back(c.cycle + specs[i].think);
      free_ids.push_back(c.id);
    }
  }
  out.cycles = now;
  out.utilisation = static_cast<double>(out.bytes) / static_cast<double>(m.burst_bytes().count()) *
                    static_cast<double>(m.t.BL.count()) / static_cast<double>(now);
  for (std::size_t c = 0; c < counters.infos().size(); ++c)
    out.counts.emplace_back(counters.infos()[c].name, counters.values()[c][0]);
  return out;
}

}  // namespace edgenpu::hardware
