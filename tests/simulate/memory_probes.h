// What a memory part is read for: traffic driven through its channels in every mode that it has. A few hundred requests
// each, with refreshes closer together than they are, so that some fall into them.
#pragma once

#include <fmt/format.h>

#include "config/memory.h"
#include "hardware/memory/memory_bench.h"
#include "report/memory.h"
#include "support/leaves.h"

namespace edgenpu::test {

struct Traffic {
  std::string name;
  std::vector<hardware::TrafficRequest> requests;  // empty: the pattern of that name
  int window = 32;
  bool rows = false;
  int count = 400;
};

class Listed : public hardware::TrafficSource {
 public:
  explicit Listed(const std::vector<hardware::TrafficRequest>& requests) : requests_(requests) {}
  bool next(hardware::TrafficRequest& request) override {
    if (next_ == requests_.size()) return false;
    request = requests_[next_++];
    return true;
  }

 private:
  const std::vector<hardware::TrafficRequest>& requests_;
  std::size_t next_ = 0;
};

inline config::Memory memory_of(const Value& tree) {
  Diagnostics out;
  const config::Memory memory = config::read_memory(tree, out);
  out.throw_if_any();
  return memory;
}

// The part with other values laid over it.
inline std::string benched(const Value& part, const std::string& over, const Traffic& traffic) {
  const config::Memory memory = memory_of(config::merge(part, config::parse_text(over, "variant")));
  hardware::BenchOptions options;
  options.detail = traffic.rows ? hardware::Detail::row : hardware::Detail::burst;
  options.request_bytes = 64;
  options.window = traffic.window;
  const auto source = [&]() -> std::unique_ptr<hardware::TrafficSource> {
    if (traffic.requests.empty())
      return hardware::make_pattern(traffic.name, traffic.count, memory.capacity.count());
    return std::make_unique<Listed>(traffic.requests);
  };
  result::MemoryResult r = hardware::run_memory_bench(memory, source, traffic.name, options);
  r.cpu_s = r.wall_s = 0;
  return report::json(r, {"", ""}) + fmt::format("{} {}", memory.confirmed, memory.reserve.count());
}

// Reads and writes of 256 B and 2 KiB all over `capacity`, more than the queues hold.
inline Traffic crowd(std::int64_t capacity) {
  Traffic t{"crowd", {}, 200};
  const auto places = hardware::make_pattern("rand64", 200, capacity);
  for (hardware::TrafficRequest r; places->next(r);) {
    r.bytes = t.requests.size() % 2 ? 256 : 2048;
    r.address = r.address / 2048 * 2048;
    r.write = t.requests.size() % 3 != 0;
    t.requests.push_back(r);
  }
  return t;
}

// Groups of reads all over `capacity`, each a while after the one before.
inline Traffic groups(std::int64_t capacity, std::int64_t cycles) {
  Traffic t{"groups", {}, 200};
  const auto places = hardware::make_pattern("rand64", 400, capacity);
  for (hardware::TrafficRequest r; places->next(r);) {
    r.not_before = static_cast<std::int64_t>(t.requests.size()) / 80 * cycles;
    t.requests.push_back(r);
  }
  return t;
}

// One row is read over and over, while a request waits for another row of its bank.
inline Traffic overtaken(std::int64_t capacity) {
  Traffic t{"overtaken", std::vector<hardware::TrafficRequest>(900)};
  t.requests[5].address = capacity / 2;
  return t;
}

inline std::vector<Probe> memory_probes(const Value& part) {
  std::vector<Probe> probes;
  const auto add = [&](const std::string& over, const Traffic& traffic) {
    const Probe probe = [=](const Value& tree) { return benched(tree, over, traffic); };
    if (ask(probe, part).seen) probes.push_back(probe);
  };
  const std::int64_t capacity = memory_of(part).capacity.count();
  const char* often = "timing: {tREFI: 1.6 us}";
  add("{}", {"sep_w10", {}, 32, false, 1500});  // first: as it is
  add("{mapping: 'row,bank,bg,col'}", crowd(capacity));
  add("{refresh: pb}", {"seq_w10", {}});
  add(fmt::format("{{ranks: 2, {}, mapping: 'rank,row,bank,bg,col'}}", often), {"rand64", {}});
  add("{}", {"streams4_off", {}, 32, true});
  add("{controller: {power_down_after: 20 CK}}", groups(capacity, 4000));
  add("{controller: {self_refresh_after: 50 CK}}", groups(capacity, 4000));
  add("{refresh: pb, timing: {tREFIpb: 120 ns}}", {"rand64", {}});
  add("{refresh: none}", overtaken(capacity));
  add(fmt::format("{{channels: 2, capacity: {} B}}", 2 * capacity), {"seq_rd", {}});
  // Dies of other densities.
  for (std::int64_t mebibytes = 256; mebibytes <= 16384; mebibytes *= 2)
    for (const char* refresh : {"ab", "pb"})
      add(fmt::format("{{capacity: {} MiB, refresh: {}, {}}}", mebibytes, refresh, often), {"rand64", {}});
  return probes;
}

}  // namespace edgenpu::test
