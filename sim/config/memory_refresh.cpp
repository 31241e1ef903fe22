// Whether a memory can keep up with its refresh and still serve requests.
//
// All-bank: when a refresh falls due, the rank takes no more activates. It waits until the row that was opened
// last may be closed, closes all, refreshes, opens a row and reads: all of that must be shorter than tREFI, or
// the next refresh is due before the first read, and the refreshes that are owed grow without end.
//
// Per-bank: a bank is closed, refreshed, opened and read once in a round of all banks; and the refreshes of
// the rank, each of which may have to wait for its bank, must follow each other within tREFIpb.
#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "config/memory_timings.h"

namespace edgenpu::config {

namespace {

using Parts = std::vector<std::pair<const char*, Cycles>>;

Cycles sum_of(const Parts& parts) {
  Cycles sum(0);
  for (const auto& [name, clocks] : parts) sum += clocks;
  return sum;
}

std::string text_of(const Parts& parts) {
  std::string text;
  for (const auto& [name, clocks] : parts)
    if (clocks > Cycles(0)) text += fmt::format("{}{} {}", text.empty() ? "" : " + ", clocks.count(), name);
  return text;
}

// From the last activate or write until the row may be closed.
Cycles recovery(const Memory& m) {
  const DramTimings& t = m.t;
  const Cycles second(m.slots.act2 > 0 ? t.tAAD.count() : 0);
  return second + std::max({t.tRAS, t.WL + t.BL + t.tWR, t.tRTP});
}

// From the end of a refresh to the first data command, the commands' own slots included.
Cycles opening(const Memory& m) {
  return m.t.tRCD + Cycles(m.slots.act1 + m.slots.act2 + m.slots.column);
}

// Every rank's precharge and refresh command may come first on the command bus.
Cycles commands(const Memory& m) {
  return Cycles(std::int64_t{m.ranks} * (m.slots.precharge + m.slots.refresh));
}

Position position_in_timing(const Value& section, const char* key) {
  const Value* timing = section.find("timing");
  const Value* value = timing ? timing->find(key) : nullptr;
  return value ? value->position() : timing ? timing->position() : section.position();
}

void refuse(const Position& at, const char* key, const MeanClocks& mean, const Parts& parts,
            Diagnostics& out) {
  const Cycles interval = mean.whole();
  if (interval > sum_of(parts)) return;
  out.add(at, fmt::format("'{}': an interval of {} CK leaves no time for data; allowed: more than {} CK = {}",
                          key, interval.count(), sum_of(parts).count(), text_of(parts)));
}

// What a command waits for must pass between two refreshes of its bank, or it waits for ever.
void check_waits(const DramTimings& t, Cycles interval, const Value& section, Diagnostics& out) {
  if (interval <= Cycles(0)) return;  // a mode that the memory does not have is refused elsewhere
  const Parts waits = {{"RL", t.RL},         {"WL", t.WL},         {"tRRD_S", t.tRRD_S}, {"tRRD_L", t.tRRD_L},
                       {"tFAW", t.tFAW},     {"tCCD_S", t.tCCD_S}, {"tCCD_L", t.tCCD_L}, {"tWTR_S", t.tWTR_S},
                       {"tWTR_L", t.tWTR_L}, {"tRTW", t.tRTW},     {"tPPD", t.tPPD},     {"tRANK", t.tRANK},
                       {"tRC", t.tRC},       {"tXP", t.tXP},       {"tXSR", t.tXSR}};
  for (const auto& [key, wait] : waits)
    if (wait >= interval)
      out.add(position_in_timing(section, key),
              fmt::format("'{}': {} CK is not shorter than the {} CK between two refreshes of a bank", key,
                          wait.count(), interval.count()));
}

}  // namespace

void check_refresh(const Memory& m, const Value& section, Diagnostics& out) {
  const DramTimings& t = m.t;
  if (m.refresh != RefreshMode::none)
    check_waits(t, m.refresh == RefreshMode::ab ? t.tREFI.whole() : t.tREFIpb.of(m.banks()), section, out);
  const auto if_rows = [&m](Cycles c) { return m.row_cost ? c : Cycles(0); };
  const std::pair<const char*, Cycles> recovered{"until rows may be closed", if_rows(recovery(m))},
      bus{"of commands", commands(m)};
  if (m.refresh == RefreshMode::ab)
    refuse(position_in_timing(section, "tREFI"), "tREFI", t.tREFI,
           {recovered,
            {"tRPab", if_rows(t.tRPab)},
            {"tRFCab", t.tRFCab},
            {"to open a row", if_rows(opening(m))},
            bus},
           out);
  if (m.refresh != RefreshMode::pb) return;
  const Position at = position_in_timing(section, "tREFIpb");
  if (t.tRFCpb == Cycles(0) || t.tREFIpb.never())
    return out.add(
        at, "refresh 'pb' needs tRFCpb and tREFIpb, which this memory does not have; allowed: ab, none");
  refuse(at, "tREFIpb", t.tREFIpb, {{"tpbR2pbR", t.tpbR2pbR}, bus}, out);
  refuse(at, "tREFIpb", t.tREFIpb, {recovered, {"tRPpb", if_rows(t.tRPpb)}, bus}, out);
  refuse(at, "tREFIpb", t.tREFIpb,
         {{"tpbR2act", if_rows(t.tpbR2act)}, {"to open a row", if_rows(opening(m))}, bus}, out);
  const Parts bank = {recovered,
                      {"tRPpb", if_rows(t.tRPpb)},
                      {"tRFCpb", t.tRFCpb},
                      {"to open a row", if_rows(opening(m))},
                      bus};
  const Cycles round = t.tREFIpb.of(m.banks());
  if (round <= sum_of(bank))
    out.add(at, fmt::format(
                    "'tREFIpb': a bank is refreshed every {} x {} = {} CK, which leaves no time for data; "
                    "allowed: more than {} CK = {}",
                    m.banks(), t.tREFIpb.value(), round.count(), sum_of(bank).count(), text_of(bank)));
}

}  // namespace edgenpu::config
