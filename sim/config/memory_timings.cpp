#include "config/memory_timings.h"

#include <fmt/format.h>

#include "config/clock_reader.h"

namespace edgenpu::config {

namespace {

const std::vector<std::string> kDensities = {"1Gb", "2Gb", "4Gb", "8Gb", "16Gb", "32Gb", "64Gb"};

}  // namespace

void read_timings(const Value& section, Memory& m, Diagnostics& out) {
  MapReader map(section, out, "timing");
  ClockReader c(map, m.clock);
  DramTimings& t = m.t;
  // What a standard has of its own must be given: a default would be another memory. Bank groups have times
  // within a group and between groups; LPDDR closes all banks slower than one, and LPDDR5's data clock stops.
  const auto needed_if = [&c](bool needed, const char* key, Cycles otherwise) {
    return needed ? c.need(key) : c.with_default(key, otherwise);
  };
  const bool groups = m.bank_groups > 1, lpddr5 = m.standard == DramStandard::lpddr5;
  const bool lpddr = lpddr5 || m.standard == DramStandard::lpddr4;
  t.BL = c.need("BL");
  t.BL_max = needed_if(lpddr5 && groups, "BL_max", t.BL);
  t.RL = c.need("RL");
  t.WL = c.need("WL");
  t.tRCD = c.need("tRCD");
  t.tRPpb = c.need("tRPpb");
  t.tRPab = needed_if(lpddr, "tRPab", t.tRPpb);
  t.tRAS = c.need("tRAS");
  t.tRC = c.need("tRC");
  t.tRRD_S = c.need("tRRD_S");
  t.tRRD_L = needed_if(groups, "tRRD_L", t.tRRD_S);
  t.tFAW = c.need("tFAW");
  t.tCCD_S = c.need("tCCD_S");
  t.tCCD_L = needed_if(groups, "tCCD_L", t.tCCD_S);
  t.tWR = c.need("tWR");
  t.tRTP = c.need("tRTP");
  t.tWTR_S = c.need("tWTR_S");
  t.tWTR_L = needed_if(groups, "tWTR_L", t.tWTR_S);
  t.tRTW = c.need("tRTW");
  t.tPPD = needed_if(m.standard != DramStandard::ddr4, "tPPD", Cycles(0));
  t.tAAD = c.with_default("tAAD", Cycles(0));
  t.tRANK = c.with_default("tRANK", Cycles(2));
  t.tREFI = c.need_mean("tREFI");
  t.tREFIpb = c.mean_or_never("tREFIpb");
  t.tpbR2pbR = c.with_default("tpbR2pbR", Cycles(0));
  t.tpbR2act = c.with_default("tpbR2act", Cycles(0));
  t.tWCKPST = needed_if(lpddr5, "tWCKPST", Cycles(0));
  if (!lpddr5 && map.has("tWCKPST"))
    map.error("tWCKPST", "is the data clock's of LPDDR5; this memory's 'standard' has none");
  t.tXP = c.need("tXP");
  t.tXSR = c.with_default("tXSR", Cycles(0));
  m.wck_sync = lpddr5;
  map.finish();
}

void read_density(const Value& section, Memory& m, std::int64_t bits, const Position& capacity,
                  Diagnostics& out) {
  MapReader map(section, out, "refresh_times");
  bool found = false;
  for (std::size_t i = 0; i < kDensities.size(); ++i) {
    const Value* entry = map.map(kDensities[i], true);
    if (!entry) continue;
    MapReader times(*entry, out, "refresh_times." + kDensities[i]);
    ClockReader clocks(times, m.clock);
    const Cycles ab = clocks.need("tRFCab"), pb = clocks.with_default("tRFCpb", Cycles(0));
    times.finish();
    if (found || bits > (std::int64_t{1} << (30 + i))) continue;
    found = true;
    m.t.tRFCab = ab;
    m.t.tRFCpb = pb;
  }
  map.finish();
  if (!found)
    out.add(capacity,
            fmt::format("'capacity': a rank of a channel would need dies of {:.3g} Gb, more than any in "
                        "refresh_times; allowed: less capacity, more channels or more ranks",
                        static_cast<double>(bits) / (1 << 30)));
}

void check_timings(const Memory& m, const Value& section, Diagnostics& out) {
  const DramTimings& t = m.t;
  const Value* timing = section.find("timing");
  const Position at = timing ? timing->position() : section.position();
  check_refresh(m, section, out);
  const auto clocks = [](Cycles c) { return c.count(); };
  if (t.tRC < t.tRAS + t.tRPpb)
    out.add(at,
            fmt::format(
                "tRC ({} CK) is shorter than tRAS + tRPpb ({} + {} CK): a row cannot be closed and opened "
                "again in that time",
                clocks(t.tRC), clocks(t.tRAS), clocks(t.tRPpb)));
  if (t.tCCD_S < t.BL)
    out.add(at, fmt::format("tCCD_S ({} CK) is shorter than a burst on the data bus ({} CK)",
                            clocks(t.tCCD_S), clocks(t.BL)));
  if (t.tCCD_L < t.tCCD_S || t.tRRD_L < t.tRRD_S || t.tWTR_L < t.tWTR_S)
    out.add(at, "a same-bank-group timing (_L) is shorter than the one between groups (_S)");
  if (t.tRAS < t.tRCD)
    out.add(at, fmt::format("tRAS ({} CK) is shorter than tRCD ({} CK)", clocks(t.tRAS), clocks(t.tRCD)));
  if (m.slots.act2 > 0 && t.tAAD < Cycles(m.slots.act1))
    out.add(at, "tAAD leaves no room for the second activate command");
  if (Cycles(m.burst_length) != t.BL * m.beats_per_clock)
    out.add(at, fmt::format("a burst of {} beats at {} beats a clock does not take {} CK", m.burst_length,
                            m.beats_per_clock, clocks(t.BL)));
}

void apply_temperature(MapReader& map, Memory& m) {
  const double celsius = map.quantity("temperature", unit::temperature, {-40, 125}, 45.0);
  const double hot = map.quantity("hot_temperature", unit::temperature, {-40, 125}, 85.0);
  const std::int64_t divisor = map.integer("hot_refresh_divisor", {1, 8}, 2);
  if (celsius <= hot) return;
  m.t.tREFI = m.t.tREFI / divisor;
  m.t.tREFIpb = m.t.tREFIpb / divisor;
}

}  // namespace edgenpu::config
