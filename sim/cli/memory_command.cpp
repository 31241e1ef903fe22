#include <filesystem>
#include <iostream>
#include <memory>

#include "base/files.h"
#include "cli/commands.h"
#include "cli/memory_options.h"
#include "cli/version.h"
#include "energy/dram_energy.h"
#include "hardware/memory/command_export.h"
#include "hardware/memory/dram_checker.h"
#include "hardware/memory/memory_bench.h"
#include "hardware/memory/trace_replay.h"
#include "report/memory.h"
#include "report/output.h"

namespace edgenpu::cli {

namespace {

namespace fs = std::filesystem;
using hardware::Detail;

constexpr const char* kUsage =
    "Usage: edgenpu memory --memory FILE (--pattern NAME [--requests N] | --replay FILE) [options]\n"
    "Drives a memory system with a request pattern or a trace in a closed loop, and prints bandwidth, "
    "latency, rows,\n"
    "commands and energy.";
constexpr const char* kExample =
    "edgenpu memory --memory hw_configs/memory/lpddr5-6400.yaml --pattern rand64 --requests 100000 --window "
    "32 "
    "--refresh pb --json -";

po::options_description options() {
  po::options_description o("Options", 110);
  const auto text = [] { return po::value<std::string>(); };
  o.add_options()            //
      ("help", "this text")  //
      ("memory", name_or_file(),
       "memory YAML (hw_configs/memory/), the name of a part, or a hardware YAML")  //
      ("pattern", text(),
       "seq_rd, seq_w10, sep_w10, streams4_off, streams4_al, streams4_1k, rand64, gather4k")  //
      ("requests", text()->default_value("100000"), "requests of the pattern")                //
      ("replay", input_file(),
       "trace file: Ramulator LD/ST, R/W or CPU, DRAMsim3, DRAMSim2, DRAMSys .stl or .rstl")  //
      ("replay-fold", po::bool_switch(), "take addresses of the trace modulo the capacity")   //
      ("request-size", text()->default_value("64"), "bytes of a request")                     //
      ("window", text()->default_value("32"), "requests in flight per channel")               //
      ("mapping", text(),
       "row16,bank2,col5,bg2,col1 or RoBaCoBgCo, RoBaCoBg, RoBaBgCo, RoCoBaBg, RoBaCo, RoCoBa")  //
      ("channels", text(), "number of channels, each with the capacity it has in the file")      //
      ("refresh", text(), "ab (all-bank), pb (per-bank) or none")                                //
      ("refresh-interval", text(), "time between refreshes, for example \"488 ns\"")             //
      ("detail", text()->default_value("burst"), "burst (every command) or row (closed form)")   //
      ("set", po::value<std::vector<std::string>>()->composing(),
       "path=value: override part of the memory")                                          //
      ("check-timing", po::bool_switch(), "check every command against the timing rules")  //
      ("export-commands", output_file(), "write the commands as DRAMPower CSV")            //
      ("export-requests", output_file(),
       "write the requests as they were admitted, as a DRAMSys .stl trace")  //
      ("json", output_file(), "write the result as JSON to a file, or to standard output (-)");
  return o;
}

void add_energy(const config::Value& section, const config::Memory& m, result::MemoryResult& r) {
  const config::Value* prices = section.find("energy");
  if (!prices) return;
  Diagnostics out;
  const energy::DramPrices p = energy::read_dram_prices(*prices, out);
  out.throw_if_any();
  const std::int64_t burst_bits = m.burst_bytes().count() * 8;
  energy::DramActivity a;
  a.read_bits = r.commands.rd * burst_bits;
  a.write_bits = r.commands.wr * burst_bits;
  a.activates = r.commands.act;
  a.refresh_ab = r.commands.ref_ab;
  a.refresh_pb = r.commands.ref_pb;
  a.rank = Bytes(m.channel_capacity().count() / m.ranks);
  a.banks = m.banks();
  Seconds* const states[] = {&a.active_standby, &a.precharge_standby, &a.power_down, &a.self_refresh};
  for (std::size_t i = 0; i < 4; ++i) *states[i] = Seconds(r.power_states_s[i].second);
  double total = 0, low = 0, high = 0;
  for (const energy::DramEnergyPart& part : energy::dram_energy(p, a)) {
    r.energy.push_back({part.component, part.energy.count(), part.low.count(), part.high.count()});
    total += part.energy.count();
    low += part.low.count();
    high += part.high.count();
  }
  if (r.bytes == 0) return;
  const double per_bit = 1e12 / (static_cast<double>(r.bytes) * 8);
  r.energy_pJ_per_bit = total * per_bit;
  r.energy_pJ_per_bit_low = low * per_bit;
  r.energy_pJ_per_bit_high = high * per_bit;
}

// Passes commands on to the checker and the exporter of a channel.
class Fork : public hardware::CommandListener {
 public:
  void add(std::unique_ptr<hardware::CommandListener> listener) { all_.push_back(std::move(listener)); }
  void command(std::int64_t cycle, timing::Command command, int bank, std::int64_t row,
               std::int64_t column) override {
    for (const auto& l : all_) l->command(cycle, command, bank, row, column);
  }

 private:
  std::vector<std::unique_ptr<hardware::CommandListener>> all_;
};

std::string per_channel(const std::string& path, int channel, int channels) {
  if (channels == 1) return path;
  const fs::path p(path);
  return (p.parent_path() / (p.stem().string() + "-ch" + std::to_string(channel) + p.extension().string()))
      .string();
}

struct Observers {
  std::vector<std::unique_ptr<Fork>> forks;
  std::vector<hardware::DramChecker*> checkers;
  std::vector<hardware::CommandExport*> commands;
  std::vector<std::unique_ptr<hardware::RequestExport>> requests;

  void finish() {
    for (hardware::CommandExport* c : commands) c->finish();
    for (const auto& r : requests) r->finish();
  }
};

void observe(const po::variables_map& values, const config::Memory& m, hardware::BenchOptions& bench,
             Observers& o) {
  const bool check = values["check-timing"].as<bool>(), commands = values.count("export-commands") > 0;
  if ((check || commands) && bench.detail == Detail::row)
    throw InputError(Position{check ? "--check-timing" : "--export-commands"},
                     "the row detail does not issue every command; --detail burst is needed");
  for (int c = 0; c < m.channels; ++c) {
    o.forks.push_back(std::make_unique<Fork>());
    if (check) {
      auto checker = std::make_unique<hardware::DramChecker>(m);
      o.checkers.push_back(checker.get());
      o.forks.back()->add(std::move(checker));
    }
    for (const char* option : {"export-commands", "export-requests"})
      if (values.count(option))
        claim_output(per_channel(values[option].as<std::string>(), c, m.channels),
                     std::string("--") + option);
    if (commands) {
      auto file = std::make_unique<hardware::CommandExport>(
          per_channel(values["export-commands"].as<std::string>(), c, m.channels));
      o.commands.push_back(file.get());
      o.forks.back()->add(std::move(file));
    }
    if (values.count("export-requests"))
      o.requests.push_back(std::make_unique<hardware::RequestExport>(
          per_channel(values["export-requests"].as<std::string>(), c, m.channels)));
  }
  if (check || commands) bench.listener = [&o](int c) { return o.forks[static_cast<std::size_t>(c)].get(); };
  if (!o.requests.empty())
    bench.admitted = [&o](int c, std::int64_t cycle, const hardware::TrafficRequest& r) {
      o.requests[static_cast<std::size_t>(c)]->request(cycle, r);
    };
}

void add_notes(const hardware::TraceSummary& trace, result::MemoryResult& r) {
  if (trace.folded > 0)
    r.notes.push_back(std::to_string(trace.folded) +
                      " addresses lay beyond the capacity and were taken modulo it");
  if (trace.out_of_order > 0)
    r.notes.push_back(
        std::to_string(trace.out_of_order) +
        " times lie before that of the line above: these requests come as soon as there is room");
  if (trace.format == hardware::TraceFormat::cpu)
    r.notes.push_back("the instructions between the requests of a CPU trace take no time here");
}

result::MemoryResult bench(const po::variables_map& values, const config::Memory& m,
                           hardware::BenchOptions options) {
  if (values.count("replay"))
    refuse(values, {"requests"}, "goes with --pattern; a trace has its own");
  else
    refuse(values, {"replay-fold"}, "goes with --replay");
  if (values.count("pattern")) {
    const std::string pattern = choice_of(values, "pattern", hardware::pattern_names());
    const std::int64_t requests = count_of(values, "requests", 1);
    return hardware::run_memory_bench(
        m, [&] { return hardware::make_pattern(pattern, requests, m.capacity.count()); }, pattern, options);
  }
  const std::string path = values["replay"].as<std::string>();
  const bool fold = values["replay-fold"].as<bool>();
  const hardware::TraceSummary trace = hardware::check_trace(path, m, fold);
  result::MemoryResult r = hardware::run_memory_bench(
      m, [&] { return std::make_unique<hardware::TraceSource>(path, m, fold); },
      path + " (" + hardware::to_string(trace.format) + ")", options);
  add_notes(trace, r);
  return r;
}

void add_notes(const config::Memory& m, result::MemoryResult& r) {
  if (!m.confirmed) r.notes.push_back("the timings of " + m.name + " are unconfirmed");
  if (r.queued_at_end > 0)
    r.notes.push_back(std::to_string(r.queued_at_end) +
                      " requests were still queued when the stream ended; they were "
                      "completed in a further " +
                      std::to_string(static_cast<std::int64_t>(r.drain_ns + 0.5)) + " ns");
}

void add_checks(const Observers& o, result::MemoryResult& r) {
  if (o.checkers.empty()) return;
  r.timing_violations = 0;
  for (const hardware::DramChecker* c : o.checkers) {
    *r.timing_violations += c->violations();
    for (const std::string& m : c->messages()) r.timing_messages.push_back(m);
  }
}

}  // namespace

int memory_command(const Arguments& arguments) {
  po::variables_map values;
  if (parse(arguments, options(), kUsage, kExample, values)) return 0;
  if (values.count("replay") == values.count("pattern"))
    throw InputError(Position{"command line"}, values.count("replay")
                                                   ? "--pattern and --replay do not go together"
                                                   : "either --pattern or --replay is needed");
  for (const char* option : {"export-commands", "export-requests"})
    if (values.count(option) && values[option].as<std::string>() == "-")
      throw InputError(Position{std::string("--") + option},
                       "needs a file: standard output is for the result");
  config::Value section;
  const config::Memory m = memory_of(values, section);
  hardware::BenchOptions options;
  options.detail = choice_of(values, "detail", {"row", "burst"}) == "row" ? Detail::row : Detail::burst;
  options.window = static_cast<int>(count_of(values, "window", 1));
  options.request_bytes = count_of(values, "request-size", 1);
  if (options.request_bytes > m.interleave.count())
    throw InputError(Position{"--request-size"},
                     "a request may not be longer than the channel interleave of " +
                         std::to_string(m.interleave.count()) + " bytes");
  Observers observers;
  observe(values, m, options, observers);
  result::MemoryResult result = bench(values, m, options);
  observers.finish();
  add_energy(section, m, result);
  add_notes(m, result);
  add_checks(observers, result);
  if (values.count("json"))
    report::write_output(values["json"].as<std::string>(), report::json(result, {kVersion, kCommit}));
  else
    report::print(report::text(result));
  if (result.timing_violations.value_or(0) == 0) return 0;
  std::cerr << "internal error: the scheduler broke " << *result.timing_violations << " timing rules\n";
  return 1;
}

}  // namespace edgenpu::cli
