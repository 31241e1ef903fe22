#include "timing/dram_timing.h"

#include <algorithm>

#include "base/error.h"

namespace edgenpu::timing {

namespace {

using config::Memory;

constexpr const char* kRows = "JESD209-5B, 209-4, JESD79-4, -5: bank activation and precharge";
constexpr const char* kBus = "JESD209-5B, 209-4, JESD79-4, -5: read and write operation";
constexpr const char* kTurn =
    "JESD209-5B, 209-4: read to write and write to read, same and different bank group";
constexpr const char* kRefresh = "JESD209-5B: refresh requirement and command timing constraints for REFpb";
constexpr const char* kRanks = "one data bus for all ranks of a channel, plus tRANK";

// A rule without effect is left out.
class Table {
 public:
  void add(Level level, Command before, Command after, std::int64_t latency, const char* name,
           const char* source, int count = 1) {
    if (latency > 0) rules_.push_back({level, before, after, latency, count, name, source});
  }
  std::vector<TimingRule> take() { return std::move(rules_); }

 private:
  std::vector<TimingRule> rules_;
};

std::int64_t write_to_read(const Memory& m, bool same_group) {
  const auto& t = m.t;
  return (t.WL + (same_group ? t.BL_max + t.tWTR_L : t.BL + t.tWTR_S)).count();
}

std::int64_t write_to_precharge(const Memory& m) {
  return (m.t.WL + m.t.BL + m.t.tWR).count();
}

void add_column_rules(Table& r, const Memory& m) {
  const auto& t = m.t;
  for (const Command c : {Command::rd, Command::wr}) {
    r.add(Level::rank, c, c, t.tCCD_S.count(), "tCCD_S", kBus);
    r.add(Level::group, c, c, t.tCCD_L.count(), "tCCD_L", kBus);
  }
  r.add(Level::rank, Command::rd, Command::wr, t.tRTW.count(), "tRTW", kTurn);
  r.add(Level::rank, Command::wr, Command::rd, write_to_read(m, false), "tWTR_S", kTurn);
  r.add(Level::group, Command::wr, Command::rd, write_to_read(m, true), "tWTR_L", kTurn);
}

void add_rank_switch_rules(Table& r, const Memory& m) {
  if (m.ranks < 2) return;
  const std::int64_t bus = (m.t.BL + m.t.tRANK).count(), skew = (m.t.RL - m.t.WL).count();
  r.add(Level::other_ranks, Command::rd, Command::rd, bus, "tRANK", kRanks);
  r.add(Level::other_ranks, Command::wr, Command::wr, bus, "tRANK", kRanks);
  r.add(Level::other_ranks, Command::rd, Command::wr, bus + skew, "tRANK", kRanks);
  r.add(Level::other_ranks, Command::wr, Command::rd, bus - skew, "tRANK", kRanks);
}

void add_activate_rules(Table& r, const Memory& m) {
  const auto& t = m.t;
  const bool two = m.slots.act2 > 0;
  const Command opens = two ? Command::act2 : Command::act1;
  const int last = (two ? m.slots.act2 : m.slots.act1) - m.slots.column;
  for (const Command c : {Command::rd, Command::wr})
    r.add(Level::bank, opens, c, t.tRCD.count() + last, "tRCD", kRows);
  if (two) r.add(Level::bank, Command::act1, Command::act2, m.slots.act1, "ACT-1 length", kRows);
  r.add(Level::bank, Command::act1, Command::pre, t.tRAS.count(), "tRAS", kRows);
  r.add(Level::rank, Command::act1, Command::pre_all, t.tRAS.count(), "tRAS", kRows);
  r.add(Level::bank, Command::act1, Command::act1, t.tRC.count(), "tRC", kRows);
  r.add(Level::rank, Command::act1, Command::act1, t.tRRD_S.count(), "tRRD_S", kRows);
  r.add(Level::group, Command::act1, Command::act1, t.tRRD_L.count(), "tRRD_L", kRows);
  r.add(Level::rank, Command::act1, Command::act1, t.tFAW.count(), "tFAW", kRows, 4);
}

void add_precharge_rules(Table& r, const Memory& m) {
  const auto& t = m.t;
  const std::int64_t one = t.tRPpb.count(), all = t.tRPab.count();
  r.add(Level::bank, Command::pre, Command::act1, one, "tRPpb", kRows);
  r.add(Level::rank, Command::pre_all, Command::act1, all, "tRPab", kRows);
  r.add(Level::bank, Command::pre, Command::ref_bank, one, "tRPpb", kRefresh);
  r.add(Level::rank, Command::pre, Command::ref_all, one, "tRPpb", kRefresh);
  r.add(Level::rank, Command::pre_all, Command::ref_all, all, "tRPab", kRefresh);
  r.add(Level::rank, Command::pre_all, Command::ref_bank, all, "tRPab", kRefresh);
  for (const Command a : {Command::pre, Command::pre_all})
    for (const Command b : {Command::pre, Command::pre_all})
      r.add(Level::rank, a, b, t.tPPD.count(), "tPPD", kRows);
  r.add(Level::bank, Command::rd, Command::pre, t.tRTP.count(), "tRTP", kRows);
  r.add(Level::rank, Command::rd, Command::pre_all, t.tRTP.count(), "tRTP", kRows);
  r.add(Level::bank, Command::wr, Command::pre, write_to_precharge(m), "tWR", kRows);
  r.add(Level::rank, Command::wr, Command::pre_all, write_to_precharge(m), "tWR", kRows);
}

void add_refresh_rules(Table& r, const Memory& m) {
  const auto& t = m.t;
  for (const Command c : {Command::act1, Command::ref_all, Command::ref_bank})
    r.add(Level::rank, Command::ref_all, c, t.tRFCab.count(), "tRFCab", kRefresh);
  r.add(Level::bank, Command::ref_bank, Command::act1, t.tRFCpb.count(), "tRFCpb", kRefresh);
  r.add(Level::bank, Command::ref_bank, Command::ref_bank, t.tRFCpb.count(), "tRFCpb", kRefresh);
  r.add(Level::rank, Command::ref_bank, Command::ref_all, t.tRFCpb.count(), "tRFCpb", kRefresh);
  r.add(Level::rank, Command::ref_bank, Command::ref_bank, t.tpbR2pbR.count(), "tpbR2pbR", kRefresh);
  r.add(Level::rank, Command::ref_bank, Command::act1, t.tpbR2act.count(), "tpbR2act", kRefresh);
}

// Rows cost nothing: a refresh stops the columns themselves.
void add_refresh_rules_without_rows(Table& r, const Memory& m) {
  for (const Command c : {Command::rd, Command::wr}) {
    r.add(Level::rank, Command::ref_all, c, m.t.tRFCab.count(), "tRFCab", kRefresh);
    r.add(Level::bank, Command::ref_bank, c, m.t.tRFCpb.count(), "tRFCpb", kRefresh);
  }
}

}  // namespace

std::vector<TimingRule> timing_rules(const Memory& m) {
  Table table;
  add_column_rules(table, m);
  add_rank_switch_rules(table, m);
  add_refresh_rules(table, m);
  if (m.row_cost) {
    add_activate_rules(table, m);
    add_precharge_rules(table, m);
  } else {
    add_refresh_rules_without_rows(table, m);
  }
  return table.take();
}

int slots_of(const Memory& m, Command command) {
  switch (command) {
    case Command::act1:
      return m.slots.act1;
    case Command::act2:
      return m.slots.act2;
    case Command::pre:
    case Command::pre_all:
      return m.slots.precharge;
    case Command::rd:
    case Command::wr:
      return m.slots.column;
    case Command::ref_all:
    case Command::ref_bank:
      return m.slots.refresh;
  }
  return 1;
}

std::int64_t read_data_start(const Memory& m) {
  return m.t.RL.count() + m.slots.column - 1;
}
std::int64_t write_data_start(const Memory& m) {
  return m.t.WL.count() + m.slots.column - 1;
}
std::int64_t read_data_end(const Memory& m) {
  return read_data_start(m) + m.t.BL.count();
}
std::int64_t write_data_end(const Memory& m) {
  return write_data_start(m) + m.t.BL.count();
}

RuleTable::RuleTable(const std::vector<TimingRule>& rules) {
  for (const TimingRule& rule : rules) {
    if (rule.count == 4) {
      four_activates = std::max(four_activates, rule.latency);
      continue;
    }
    if (rule.count != 1) throw InternalError("a window rule that no scheduler knows");
    after[static_cast<std::size_t>(rule.before)].push_back({rule.level, rule.after, rule.latency});
  }
}

}  // namespace edgenpu::timing
