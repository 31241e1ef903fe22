#include "config/memory.h"

#include <fmt/format.h>

#include "base/rates.h"
#include "config/clock_reader.h"
#include "config/memory_timings.h"
#include "config/reader.h"

namespace edgenpu::config {

namespace {

const std::vector<std::string> kStandards = {"LPDDR4", "LPDDR5", "DDR4", "DDR5"};
const std::vector<std::string> kRefreshModes = {"ab", "pb", "none"};
const std::vector<std::string> kPagePolicies = {"open", "closed", "timeout"};

bool is_power_of_two(std::int64_t n) {
  return n > 0 && (n & (n - 1)) == 0;
}

void read_slots(const Value& section, Memory& m, Diagnostics& out) {
  MapReader map(section, out, "command_slots");
  m.slots.act1 = static_cast<int>(map.integer("act1", {1, 8}));
  m.slots.act2 = static_cast<int>(map.integer("act2", {0, 8}));
  m.slots.column = static_cast<int>(map.integer("column", {1, 8}));
  m.slots.precharge = static_cast<int>(map.integer("precharge", {1, 8}));
  m.slots.refresh = static_cast<int>(map.integer("refresh", {1, 8}));
  map.finish();
}

void read_controller(const Value& section, Memory& m, Diagnostics& out) {
  MapReader map(section, out, "controller");
  ClockReader clocks(map, m.clock);
  ControllerConfig& c = m.controller;
  c.read_queue = map.integer("read_queue", {2, 512});
  c.write_queue = map.integer("write_queue", {2, 512});
  c.slot_bytes = map.bytes("slot", {16, 4096});
  c.write_high = map.integer("write_high", {1, 512});
  c.write_max = map.integer("write_max", {1, 512});
  c.write_low = map.integer("write_low", {0, 511});
  c.write_age = clocks.need("write_age");
  c.port_queue = map.integer("port_queue", {1, 1024});
  c.page_policy = static_cast<PagePolicy>(map.choice("page_policy", kPagePolicies, std::size_t{0}));
  c.page_timeout = clocks.with_default("page_timeout", Cycles(0));
  c.postpone = map.integer("postpone", {0, 8}, 0);
  c.starvation = clocks.need("starvation");
  c.power_down_after = clocks.with_default("power_down_after", Cycles(0));
  c.self_refresh_after = clocks.with_default("self_refresh_after", Cycles(0));
  c.latency = map.duration("latency", {0, 1e-3}, Femtoseconds(0));
  c.fabric_latency = map.duration("fabric_latency", {0, 1e-3}, Femtoseconds(0));
  if (c.write_low >= c.write_high) map.error("write_low", "must be less than write_high");
  if (c.write_high > c.write_max) map.error("write_high", "must not be more than write_max");
  if (c.write_max > c.write_queue) map.error("write_max", "is more than the write queue is sure to hold");
  if (c.page_policy == PagePolicy::timeout && c.page_timeout == Cycles(0))
    map.error("page_policy", "timeout needs a page_timeout");
  if (c.page_policy != PagePolicy::timeout && c.page_timeout > Cycles(0))
    map.error("page_timeout", "closes rows under 'page_policy: timeout' only; allowed here: 0 CK");
  map.finish();
}

void check_geometry(const Memory& m, MapReader& map) {
  if (!is_power_of_two(m.bank_groups)) map.error("bank_groups", "must be a power of two");
  if (!is_power_of_two(m.banks_per_group)) map.error("banks_per_group", "must be a power of two");
  if (!is_power_of_two(m.ranks)) map.error("ranks", "must be a power of two");
  if (!is_power_of_two(m.page.count())) map.error("page", "must be a power of two");
  if (!is_power_of_two(m.interleave.count())) map.error("interleave", "must be a power of two");
  if (m.channel_bits % m.device_bits != 0) map.error("device_bits", "must divide channel_bits");
  if (!is_power_of_two(m.burst_bytes().count()))
    map.error("channel_bits", "must give a burst of a power of two bytes");
  // The controller keeps a bit for each bank of a channel.
  constexpr int kMostBanks = 64;
  if (const int banks = m.banks() * m.ranks; banks > kMostBanks)
    map.error(
        "banks_per_group",
        fmt::format("makes {} banks a channel ({} of each of {} groups in {} {}); allowed: at most {}", banks,
                    m.banks_per_group, m.bank_groups, m.ranks, m.ranks == 1 ? "rank" : "ranks", kMostBanks));
  if (m.interleave < m.burst_bytes()) map.error("interleave", "is less than one burst");
  if (m.page < m.burst_bytes()) map.error("page", "is less than one burst");
}

void read_geometry(MapReader& map, Memory& m) {
  m.channels = static_cast<int>(map.integer("channels", {1, 256}));
  m.channel_bits = static_cast<int>(map.integer("channel_bits", {4, 128}));
  m.device_bits = static_cast<int>(map.integer("device_bits", {4, 64}));
  m.ranks = static_cast<int>(map.integer("ranks", {1, 8}));
  m.bank_groups = static_cast<int>(map.integer("bank_groups", {1, 16}));
  m.banks_per_group = static_cast<int>(map.integer("banks_per_group", {1, 64}));
  m.burst_length = static_cast<int>(map.integer("burst_length", {4, 64}));
  m.beats_per_clock = static_cast<int>(map.integer("beats_per_clock", {1, 16}));
  m.clock = map.frequency("clock", {1'000'000, 10'000'000'000});
  m.capacity = map.bytes("capacity", {1 << 20, std::int64_t{1} << 44});
  m.interleave = map.bytes("interleave", {16, 1 << 20});
  m.page = map.bytes("page", {64, 1 << 20});
  m.reserve = map.bytes("reserve", {0, std::int64_t{1} << 44}, Bytes(0));
  m.refresh = static_cast<RefreshMode>(map.choice("refresh", kRefreshModes, std::size_t{0}));
  m.ideal = map.boolean("ideal", false);
  m.row_cost = map.boolean("row_cost", true);
  m.confirmed = map.boolean("confirmed", true);
  check_geometry(m, map);
}

void read_background(const Value& section, Memory& m, Diagnostics& out) {
  MapReader r(section, out, "background traffic");
  m.background.bandwidth = BytesPerSecond(r.quantity("bandwidth", unit::bandwidth, {1e3, 1e13}));
  m.background.request = r.bytes("request", {16, 1 << 20}, std::min(m.background.request, m.interleave));
  const std::int64_t request = m.background.request.count();
  if (!is_power_of_two(request) || request > m.interleave.count() || request < m.burst_bytes().count())
    r.error("request", fmt::format("must be a power of two from a burst ({} B) to the interleave ({} B)",
                                   m.burst_bytes().count(), m.interleave.count()));
  const double most = m.peak().count() * (1 - m.refresh_loss());
  if (m.background.bandwidth.count() >= most)
    r.error("bandwidth",
            fmt::format("{:.6g} GB/s leaves nothing of what the memory can do: allowed below {:.6g} "
                        "GB/s (peak less refresh)",
                        m.background.bandwidth.count() * 1e-9, most * 1e-9));
  r.finish();
}

Position position_of(const Value& section, const std::string& key) {
  const Value* value = section.find(key);
  return value ? value->position() : section.position();
}

// Rows, density and mapping follow from the capacity.
void read_capacity(const Value& section, MapReader& map, Memory& m, Diagnostics& out) {
  const std::int64_t row_set = m.page.count() * m.banks() * m.ranks;
  const std::int64_t granule = m.interleave.count() > row_set ? m.interleave.count() : row_set;
  const Value* times = map.map("refresh_times");
  const std::string mapping = map.text("mapping");
  if (m.capacity.count() % (granule * m.channels) != 0) {
    const std::int64_t unit = granule * m.channels;
    const std::int64_t near = std::max<std::int64_t>(1, m.capacity.count() / unit) * unit;
    map.error("capacity",
              fmt::format("{} bytes cannot be split over {} channels in whole rows of all banks ({} bytes); "
                          "give a capacity that can, for example {} B",
                          m.capacity.count(), m.channels, granule, near));
    return;
  }
  m.rows = m.channel_capacity().count() / row_set;
  const std::int64_t dies = std::int64_t{m.ranks} * (m.channel_bits / m.device_bits);
  if (times)
    read_density(*times, m, m.channel_capacity().count() * 8 / dies, position_of(section, "capacity"), out);
  m.mapping = parse_mapping(mapping, m, position_of(section, "mapping"), out);
}

}  // namespace

BytesPerSecond Memory::channel_peak() const {
  return BytesPerSecond(static_cast<double>(data_rate().count()) * channel_bits / 8);
}

BytesPerSecond Memory::peak() const {
  return BytesPerSecond(channel_peak().count() * channels);
}

double Memory::refresh_loss() const {
  if (ideal || refresh != RefreshMode::ab || ranks > 1) return 0;
  return static_cast<double>(t.tRFCab.count()) / t.tREFI.value();
}

Memory read_memory(const Value& section, Diagnostics& out) {
  Memory m;
  Diagnostics found;
  MapReader map(section, found, "memory");
  for (const char* key : {"part", "note", "energy"}) map.accept(key);
  map.choice("kind", {"dram"}, 0);
  m.name = map.text("name");
  m.standard = static_cast<DramStandard>(map.choice("standard", kStandards));
  read_geometry(map, m);
  if (const Value* v = map.map("timing")) read_timings(*v, m, found);
  if (const Value* v = map.map("command_slots")) read_slots(*v, m, found);
  if (const Value* v = map.map("controller")) read_controller(*v, m, found);
  map.accept("background");
  if (const Value* v = section.find("background"); v && found.empty()) read_background(*v, m, found);
  if (found.empty()) check_standard(m, section, found);
  // What follows divides by what came before.
  if (found.empty()) read_capacity(section, map, m, found);
  apply_temperature(map, m);
  for (const char* key : {"refresh_times", "mapping"}) map.accept(key);
  map.finish();
  if (found.empty()) check_timings(m, section, found);
  try {
    found.throw_if_any();
  } catch (const InputError& error) {
    for (const Diagnostic& d : error.diagnostics()) out.add(d.position, d.message);
  }
  return m;
}

}  // namespace edgenpu::config
