#include "hardware/memory/dram_checker.h"

#include <algorithm>
#include <fmt/format.h>

namespace edgenpu::hardware {

namespace {

constexpr std::size_t kMessages = 20;
constexpr std::int64_t kMostPostponed = 8;

bool is_column(timing::Command c) {
  return c == timing::Command::rd || c == timing::Command::wr;
}
bool is_whole_rank(timing::Command c) {
  return c == timing::Command::pre_all || c == timing::Command::ref_all;
}

}  // namespace

void DramChecker::Times::push(std::int64_t cycle) {
  std::rotate(last.begin(), last.end() - 1, last.end());
  last[0] = cycle;
}

DramChecker::DramChecker(const config::Memory& memory)
    : memory_(memory),
      rules_(timing::timing_rules(memory)),
      banks_(static_cast<std::size_t>(memory.ranks * memory.banks())),
      rank_refreshes_(static_cast<std::size_t>(memory.ranks)),
      wck_until_(static_cast<std::size_t>(memory.ranks), kLongAgo) {
  for (std::size_t c = 0; c < timing::kCommands; ++c) {
    by_bank_[c].resize(banks_.size());
    by_group_[c].resize(static_cast<std::size_t>(memory.ranks * memory.bank_groups));
    by_rank_[c].resize(static_cast<std::size_t>(memory.ranks));
  }
}

void DramChecker::report(std::int64_t cycle, Command command, int bank, const std::string& what) {
  ++violations_;
  if (messages_.size() < kMessages)
    messages_.push_back(fmt::format("cycle {}: {} to bank {}: {}", cycle,
                                    timing::kCommandNames[static_cast<std::size_t>(command)], bank, what));
}

void DramChecker::command(std::int64_t cycle, Command command, int bank, std::int64_t row, std::int64_t) {
  ++commands_;
  if (cycle < now_) report(cycle, command, bank, "time runs backwards");
  now_ = cycle;
  check_rules(cycle, command, bank);
  if (memory_.row_cost) check_state(cycle, command, bank, row);
  check_buses(cycle, command, bank);
  check_refresh(cycle, command, bank);
  record(cycle, command, bank, row);
}

void DramChecker::check_rules(std::int64_t cycle, Command command, int bank) {
  const int rank = rank_of(bank);
  for (const timing::TimingRule& rule : rules_) {
    if (rule.after != command) continue;
    const auto before = static_cast<std::size_t>(rule.before);
    const auto nth = static_cast<std::size_t>(rule.count - 1);
    std::int64_t last = kLongAgo;
    switch (rule.level) {
      case timing::Level::bank:
        last = by_bank_[before][static_cast<std::size_t>(bank)].last[nth];
        break;
      case timing::Level::group:
        last = by_group_[before][static_cast<std::size_t>(group_of(bank))].last[nth];
        break;
      case timing::Level::rank:
        last = by_rank_[before][static_cast<std::size_t>(rank)].last[nth];
        break;
      case timing::Level::other_ranks:
        for (std::size_t r = 0; r < by_rank_[before].size(); ++r)
          if (static_cast<int>(r) != rank) last = std::max(last, by_rank_[before][r].last[nth]);
        break;
    }
    if (cycle < last + rule.latency)
      report(cycle, command, bank,
             fmt::format("{} ({}, {} CK after {} in cycle {})", rule.name,
                         timing::kLevelNames[static_cast<std::size_t>(rule.level)], rule.latency,
                         timing::kCommandNames[before], last));
  }
}

void DramChecker::check_state(std::int64_t cycle, Command command, int bank, std::int64_t row) {
  const BankView& b = banks_[static_cast<std::size_t>(bank)];
  const int first = rank_of(bank) * memory_.banks();
  switch (command) {
    case Command::act1:
      if (b.row >= 0) report(cycle, command, bank, "the bank is open");
      break;
    case Command::act2:
      if (!b.activating)
        report(cycle, command, bank, "no ACT1 before it");
      else if (cycle > b.act1 + memory_.t.tAAD.count())
        report(cycle, command, bank, "tAAD");
      break;
    case Command::rd:
    case Command::wr:
      if (b.row < 0)
        report(cycle, command, bank, "the bank is closed");
      else if (b.row != row)
        report(cycle, command, bank, "another row is open");
      if (b.activating) report(cycle, command, bank, "ACT2 is missing");
      break;
    case Command::pre:
      if (b.row < 0) report(cycle, command, bank, "the bank is closed");
      break;
    case Command::ref_bank:
      if (b.row >= 0) report(cycle, command, bank, "the bank is open");
      break;
    case Command::ref_all:
      for (int i = first; i < first + memory_.banks(); ++i)
        if (banks_[static_cast<std::size_t>(i)].row >= 0)
          return report(cycle, command, i, "the bank is open");
      break;
    case Command::pre_all:
      break;
  }
}

void DramChecker::check_buses(std::int64_t cycle, Command command, int bank) {
  std::int64_t first_slot = cycle;
  if (is_column(command)) {
    std::int64_t& wck = wck_until_[static_cast<std::size_t>(rank_of(bank))];
    if (memory_.wck_sync && cycle > wck) {
      first_slot = cycle - 1;
      if (first_slot < bus_free_) report(cycle, command, bank, "no room for the CAS that WCK needs");
    }
    const bool read = command == Command::rd;
    const auto& t = memory_.t;
    wck = std::max(wck, cycle + ((read ? t.RL : t.WL) + t.BL + t.tWCKPST).count());
    const std::int64_t start =
        cycle + (read ? timing::read_data_start(memory_) : timing::write_data_start(memory_));
    if (start < data_free_) report(cycle, command, bank, "two bursts on the data bus");
    data_free_ = std::max(data_free_, start + t.BL.count());
  }
  if (cycle < bus_free_) report(cycle, command, bank, "the command bus is taken");
  bus_free_ = cycle + timing::slots_of(memory_, command);
}

void DramChecker::check_refresh(std::int64_t cycle, Command command, int bank) {
  if (memory_.refresh == config::RefreshMode::none) return;
  const auto rank = static_cast<std::size_t>(rank_of(bank));
  if (memory_.refresh == config::RefreshMode::ab) {
    // One more interval than may be put off: the one under way.
    if (memory_.t.tREFI.passed(Cycles(cycle)) > rank_refreshes_[rank] + kMostPostponed + 1)
      report(cycle, command, bank, "the rank is owed more than 8 refreshes");
    return;
  }
  const std::int64_t rounds = memory_.t.tREFIpb.passed(Cycles(cycle)) / memory_.banks();
  if (rounds > banks_[static_cast<std::size_t>(bank)].refreshes + kMostPostponed + 1)
    report(cycle, command, bank, "the bank is owed more than 8 refreshes");
}

void DramChecker::record(std::int64_t cycle, Command command, int bank, std::int64_t row) {
  const auto c = static_cast<std::size_t>(command);
  const int rank = rank_of(bank);
  by_rank_[c][static_cast<std::size_t>(rank)].push(cycle);
  BankView& b = banks_[static_cast<std::size_t>(bank)];
  if (!is_whole_rank(command)) {
    by_bank_[c][static_cast<std::size_t>(bank)].push(cycle);
    by_group_[c][static_cast<std::size_t>(group_of(bank))].push(cycle);
  }
  switch (command) {
    case Command::act1:
      b.row = row;
      b.act1 = cycle;
      b.activating = memory_.slots.act2 > 0;
      break;
    case Command::act2:
      b.activating = false;
      break;
    case Command::pre:
      b.row = -1;
      break;
    case Command::pre_all:
      for (int i = 0; i < memory_.banks(); ++i)
        banks_[static_cast<std::size_t>(rank * memory_.banks() + i)].row = -1;
      break;
    case Command::ref_all:
      ++rank_refreshes_[static_cast<std::size_t>(rank)];
      break;
    case Command::ref_bank:
      ++b.refreshes;
      break;
    default:
      break;
  }
}

}  // namespace edgenpu::hardware
