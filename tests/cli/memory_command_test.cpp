// `edgenpu memory` as a user meets it.
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command_line.h"

namespace {

using edgenpu::test::edgenpu;
using edgenpu::test::Output;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kBench = "memory --memory hw_configs/memory/lpddr5-6400.yaml ";

std::string file_of(const std::string& name, const std::string& text) {
  const std::string path = testing::TempDir() + "/" + name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

void expect_refused(const std::string& arguments, const std::string& message) {
  const Output out = edgenpu(arguments);
  EXPECT_EQ(out.exit_code, 2) << arguments;
  EXPECT_THAT(out.errors, HasSubstr(message)) << arguments;
  EXPECT_EQ(out.text, "");
}

TEST(MemoryCommand, PrintsJsonWithTheAgreedKeys) {
  const Output out = edgenpu(kBench + "--pattern seq_rd --requests 1000 --json -");
  EXPECT_EQ(out.exit_code, 0);
  EXPECT_THAT(out.text, StartsWith("{\n  \"schema\": 1,"));
  for (const char* key : {"requests",
                          "bytes",
                          "cycles",
                          "time_ns",
                          "achieved_GBps",
                          "peak_GBps",
                          "utilisation",
                          "read_latency_ns",
                          "mean",
                          "p50",
                          "p99",
                          "queue_mean",
                          "service_mean",
                          "row_hit_rate",
                          "commands",
                          "act",
                          "pre",
                          "rd",
                          "wr",
                          "ref_ab",
                          "ref_pb",
                          "energy_pJ_per_bit",
                          "energy_pJ_per_bit_range",
                          "channels",
                          "utilisation_active",
                          "utilisation_run",
                          "simulation",
                          "cpu_s"})
    EXPECT_THAT(out.text, HasSubstr(std::string("\"") + key + "\":"));
}

TEST(MemoryCommand, PrintsTextAndFindsAPartByItsName) {
  const Output out = edgenpu("memory --memory lpddr5x-8533 --pattern rand64 --requests 1000");
  EXPECT_EQ(out.exit_code, 0);
  EXPECT_THAT(out.text, HasSubstr("of peak"));
  EXPECT_THAT(out.text, HasSubstr("unconfirmed"));
  EXPECT_THAT(out.text, HasSubstr("requests were still queued"));
}

TEST(MemoryCommand, ChecksTimingOnRequestAndReplaysItsOwnExport) {
  const std::string stl = testing::TempDir() + "/memory_command.stl",
                    csv = testing::TempDir() + "/memory_command.csv";
  const Output out = edgenpu(kBench + "--pattern sep_w10 --requests 5000 --check-timing --export-requests " +
                             stl + " --export-commands " + csv);
  EXPECT_EQ(out.exit_code, 0) << out.errors;
  EXPECT_THAT(out.text, HasSubstr("Timing check: 0 violations"));
  std::string first;
  std::ifstream commands(csv);
  std::getline(commands, first);
  EXPECT_EQ(first, "1,ACT,0");
  const Output again = edgenpu(kBench + "--replay " + stl + " --refresh none --mapping RoBaCoBg --window 8");
  EXPECT_EQ(again.exit_code, 0) << again.errors;
  EXPECT_THAT(again.text, HasSubstr("DRAMSys .stl"));
  EXPECT_THAT(again.text, HasSubstr("none refresh, mapping row16,bank2,col6,bg2, window 8"));
}

TEST(MemoryCommand, KeepsTheCapacityOfAChannelWhenThereAreMore) {
  const Output out = edgenpu(
      kBench + "--pattern seq_rd --requests 4000 --channels 4 --refresh-interval \"244 ns\" --refresh pb");
  EXPECT_EQ(out.exit_code, 0) << out.errors;
  EXPECT_THAT(out.text, HasSubstr("of 51.200 GB/s"));
  EXPECT_THAT(out.text, HasSubstr("mapping row16,bank2,col5,bg2,col1"));
}

TEST(MemoryCommand, SaysWhenAnExportCannotBeWritten) {
  const Output out = edgenpu(kBench + "--pattern rand64 --requests 300 --export-commands /dev/full");
  EXPECT_EQ(out.exit_code, 2);
  EXPECT_EQ(out.errors, "/dev/full: cannot write here: No space left on device\n");
  EXPECT_EQ(edgenpu(kBench + "--pattern rand64 --requests 300 --export-requests /dev/full").exit_code, 2);
}

TEST(MemoryCommand, LeavesAnOldExportAloneWhenItFails) {
  const std::string path = file_of("kept.csv", "old");
  expect_refused(kBench + "--pattern rand64 --export-requests " + path + " --export-commands /dev/full",
                 "No space left");
  std::string text;
  std::getline(std::ifstream(path), text);
  EXPECT_EQ(text, "old");
  for (const auto& entry : std::filesystem::directory_iterator(testing::TempDir()))
    EXPECT_THAT(entry.path().filename().string(), testing::Not(HasSubstr("kept.csv.tmp")));
}

TEST(MemoryCommand, LeavesAReplayedTraceAloneThatHasTheNameOfAChannelsExport) {
  const std::string trace = file_of("own-ch0.stl", "0: read 0x0\n");
  expect_refused(
      kBench + "--channels 2 --replay " + trace + " --export-requests " + testing::TempDir() + "/own.stl",
      "own-ch0.stl: is an input and would be overwritten");
  std::string text;
  std::getline(std::ifstream(trace), text);
  EXPECT_EQ(text, "0: read 0x0");
}

TEST(MemoryCommand, WritesJsonOfATraceWhoseNameIsNotUtf8) {
  const std::string trace = file_of("r\xff.trace", "LD 0x0\n");
  const Output out = edgenpu(kBench + "--json - --replay " + trace);
  EXPECT_EQ(out.exit_code, 0) << out.errors;
  EXPECT_THAT(out.text, HasSubstr("r\xEF\xBF\xBD.trace"));
}

TEST(MemoryCommand, FoldsTracesOfVirtualAddressesAndSaysSo) {
  const std::string trace = file_of("virtual.trace", "3 0x7ffde0689818\n");
  expect_refused(kBench + "--replay " + trace, "--replay-fold takes addresses modulo");
  const Output out = edgenpu(kBench + "--replay-fold --replay " + trace);
  EXPECT_THAT(out.text, HasSubstr("1 addresses lay beyond the capacity and were taken modulo it"));
  EXPECT_THAT(out.text, HasSubstr("the instructions between the requests of a CPU trace take no time"));
  expect_refused(kBench + "--pattern seq_rd --replay-fold", "goes with --replay");
}

TEST(MemoryCommand, RefusesBadInputWithItsPosition) {
  expect_refused(kBench + "--pattern seqrd", "did you mean 'seq_rd'");
  expect_refused(kBench, "either --pattern or --replay");
  expect_refused(kBench + "--pattern seq_rd --mapping row,col", "--mapping");
  expect_refused(kBench + "--pattern seq_rd --refresh of", "allowed: ab, pb, none");
  expect_refused(kBench + "--pattern seq_rd --refresh-interval 4", "has no unit");
  expect_refused(kBench + "--pattern seq_rd --set timing.tRC=\"3 CK\"", "tRC (3 CK) is shorter");
  expect_refused(kBench + "--pattern seq_rd --set memory.chanels=2", "did you mean 'channels'");
  expect_refused(kBench + "--pattern seq_rd --window 0", "--window");
  expect_refused(kBench + "--pattern seq_rd --detail row --check-timing", "--detail burst");
  expect_refused(kBench + "--pattern seq_rd --export-commands -", "--export-commands: needs a file");
  expect_refused("memory --memory nowhere.yaml --pattern seq_rd", "nowhere.yaml");
  const std::string bad = file_of("bad.trace", "LD 0x0\nFOO 0x40\n");
  expect_refused(kBench + "--replay " + bad, bad + ":2:1: unknown command 'FOO'");
  expect_refused(kBench + "--replay " + file_of("empty.trace", ""), "no requests");
  expect_refused(kBench + "--replay " + file_of("far.trace", "LD 0x80000000\n"),
                 ":1:1: address 0x80000000 lies beyond");
}

}  // namespace
