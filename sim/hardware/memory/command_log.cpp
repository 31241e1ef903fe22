#include "hardware/memory/command_log.h"

#include <algorithm>
#include <fmt/format.h>

#include "hardware/memory/command_export.h"

namespace edgenpu::hardware {

class CommandLog::ChannelLog : public CommandListener {
 public:
  ChannelLog(const config::Memory& memory, std::int64_t wanted, int& full)
      : wanted_(wanted),
        full_(full),
        channels_(memory.channels),
        banks_(memory.banks()),
        per_group_(memory.banks_per_group),
        data_("," + std::string(2 * static_cast<std::size_t>(memory.burst_bytes().count()), '0')) {}

  void command(std::int64_t cycle, timing::Command command, int bank, std::int64_t row,
               std::int64_t column) override {
    // As in the older traces, but for one word.
    const char* name = command == timing::Command::ref_all ? "REFA" : dram_power_name(command);
    if (!name || wanted_ == 0) return;
    const bool moves_data = command == timing::Command::rd || command == timing::Command::wr;
    const int in_rank = bank % banks_;
    text_ += fmt::format("{},{},{},{},{},{},{}{}\n", cycle, name, bank / banks_, in_rank / per_group_,
                         in_rank, std::max<std::int64_t>(row, 0), column, moves_data ? data_ : "");
    last_ = cycle;
    if (--wanted_ > 0) return;
    if (++full_ == channels_) sc_core::sc_stop();
  }

  std::string text() const { return text_ + fmt::format("{},END,0,0,0,0,0\n", last_); }

 private:
  std::int64_t wanted_;
  int& full_;
  int channels_, banks_, per_group_;
  std::string data_, text_;
  std::int64_t last_ = 0;
};

CommandLog::CommandLog(const config::Memory& config, MemorySystem& memory, std::int64_t commands) {
  for (int c = 0; c < config.channels; ++c) {
    channels_.push_back(std::make_unique<ChannelLog>(config, commands, full_));
    memory.set_listener(c, channels_.back().get());
  }
}

CommandLog::~CommandLog() = default;

std::vector<std::string> CommandLog::texts() const {
  std::vector<std::string> all;
  for (const auto& channel : channels_) all.push_back(channel->text());
  return all;
}

}  // namespace edgenpu::hardware
