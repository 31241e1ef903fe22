#include "hardware/memory/trace_replay.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

#include "hardware/memory/memory_bench.h"
#include "hardware/memory/memory_fixture.h"

namespace edgenpu::hardware {
namespace {

std::string file_of(const std::string& text) {
  const std::string path =
      testing::TempDir() + "/trace_" + testing::UnitTest::GetInstance()->current_test_info()->name() + ".txt";
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

std::vector<TrafficRequest> requests_of(const std::string& text, const std::string& name = "trace.txt",
                                        bool fold = false) {
  const config::Memory m = load_memory("lpddr5-6400");
  TraceSource source(std::make_unique<std::istringstream>(text), name, m, fold);
  std::vector<TrafficRequest> all;
  for (TrafficRequest r; source.next(r);) all.push_back(r);
  return all;
}

std::string error_of(const std::string& text) {
  try {
    check_trace(file_of(text), load_memory("lpddr5-6400"));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(TraceReplay, ReadsRamulatorLoadStoreWithCrlfCommentsAndBlankLines) {
  const auto r = requests_of("LD 0x40\r\n# a comment\r\n\r\nST 128 // another\r\n");
  ASSERT_EQ(r.size(), 2u);
  EXPECT_EQ(r[0].address, 0x40);
  EXPECT_FALSE(r[0].write);
  EXPECT_EQ(r[1].address, 128);
  EXPECT_TRUE(r[1].write);
}

TEST(TraceReplay, ReadsRamulatorReadWriteInEitherOrderAndWithAddressVectors) {
  const auto r = requests_of("R 0x40\n0x80 W\nR 0,0,1,2,77,5\n");
  ASSERT_EQ(r.size(), 3u);
  EXPECT_TRUE(r[1].write);
  const timing::AddressMap map(load_memory("lpddr5-6400"));
  EXPECT_EQ(map.decode(r[2].address / 32), (timing::DramAddress{0, 1, 2, 77, 5}));
}

TEST(TraceReplay, ReadsDramsim3AndStlWithTheirClocks) {
  const auto d = requests_of("0x40 READ 100\n0x80 WRITE 120\n");
  ASSERT_EQ(d.size(), 2u);
  EXPECT_EQ(d[1].not_before, 120);
  EXPECT_TRUE(d[1].write);
  const auto s = requests_of("31: read 0x400140\n40:\twrite\t0x80 aabb\n50: (32) read 0x100\n");
  ASSERT_EQ(s.size(), 3u);
  EXPECT_EQ(s[0].not_before, 31);
  EXPECT_TRUE(s[1].write);
  EXPECT_EQ(s[2].bytes, 32);
}

TEST(TraceReplay, PositionsEveryError) {
  EXPECT_THAT(error_of(""), testing::HasSubstr("no requests"));
  EXPECT_THAT(error_of("# nothing\n"), testing::HasSubstr("no requests"));
  EXPECT_THAT(error_of("version https://git-lfs.github.com/spec/v1\noid sha256:0\n"),
              testing::HasSubstr("Git LFS pointer"));
  const std::string several = error_of("LD 0x0\nLD 0x80000000\nFOO 0x1\nST 0xzz\nLD\n");
  EXPECT_THAT(several, testing::HasSubstr(":2:1: address 0x80000000 lies beyond the capacity"));
  EXPECT_THAT(several, testing::HasSubstr(":3:1: unknown command 'FOO'"));
  EXPECT_THAT(several, testing::HasSubstr(":4:1: '0xzz' is no address"));
  EXPECT_THAT(error_of("LD 0\nLD -1\n"), testing::HasSubstr("'-1' is no address"));
  EXPECT_THAT(error_of("LD 0\nLD 1 2\n"), testing::HasSubstr("'2' is left over; expected: LD ADDRESS"));
  EXPECT_THAT(several, testing::HasSubstr(":5:1: 'LD' is incomplete"));
  EXPECT_THAT(error_of("READD 0x0\n"), testing::HasSubstr("did you mean 'READ'"));
  EXPECT_THAT(error_of("0: read 0x0\n1: read (64) 0x40\n"),
              testing::HasSubstr("'(64)' is no address; allowed: a hexadecimal"));
  EXPECT_THAT(error_of("0: (0) read 0x0\n"), testing::HasSubstr("a length of 0 bytes"));
  EXPECT_THAT(error_of("0: (9999999999) read 0x0\n"), testing::HasSubstr("a length of 9999999999 bytes"));
  EXPECT_THAT(error_of("0x0 READ 9999999999999\n"), testing::HasSubstr("allowed: up to 137438953472"));
  EXPECT_THAT(error_of("\x1f\x8b\x08"), testing::HasSubstr("unpack it with 'gunzip'"));
  EXPECT_THAT(error_of("LD 0\n" + std::string(70000, '1')),
              testing::HasSubstr(":2:1: a line of more than 65536"));
  EXPECT_THAT(error_of("R 0,0,9,2,77,5\n"), testing::HasSubstr("part 3 is 9, but this memory has 4"));
  EXPECT_THROW(check_trace("/nonexistent/trace", load_memory("lpddr5-6400")), InputError);
  EXPECT_THROW(check_trace("/dev/zero", load_memory("lpddr5-6400")), InputError);
  EXPECT_THROW(check_trace(testing::TempDir(), load_memory("lpddr5-6400")), InputError);
}

using Seen = std::vector<std::tuple<std::int64_t, bool, std::int64_t, std::int64_t>>;
// Address, write, time, bytes.
Seen seen(const std::vector<TrafficRequest>& requests) {
  Seen all;
  for (const TrafficRequest& r : requests) all.emplace_back(r.address, r.write, r.not_before, r.bytes);
  return all;
}

TEST(TraceReplay, TakesAddressesInTheBaseOfTheirTool) {
  EXPECT_EQ(seen(requests_of("10 R\n0x10 W\nc0ffe0 R\n40\n")),
            (Seen{{0x10, false, 0, 0}, {0x10, true, 0, 0}, {0xc0ffe0, false, 0, 0}, {0x40, false, 0, 0}}));
  EXPECT_EQ(seen(requests_of("2000 READ 30\nFF80 WRITE 0x28\n")),
            (Seen{{0x2000, false, 30, 0}, {0xff80, true, 40, 0}}));
  EXPECT_EQ(seen(requests_of("3: read 100\n")), (Seen{{0x100, false, 3, 0}}));
  EXPECT_EQ(seen(requests_of("LD 100\n")), (Seen{{100, false, 0, 0}}));
}

TEST(TraceReplay, ReadsEveryCommandOfDramsim2) {
  EXPECT_EQ(seen(requests_of("0x0 P_FETCH 1\n0x40 P_MEM_RD 2\n0x80 P_MEM_WR 3\n0xc0 BOFF 4\n0x0 P_LOCK_RD 5\n"
                             "0x40 P_LOCK_WR 6\n0x80 IFETCH 7\n0xc0 READ 8\n0x0 WRITE 9\n")),
            (Seen{{0, false, 1, 0},
                  {0x40, false, 2, 0},
                  {0x80, true, 3, 0},
                  {0xc0, true, 4, 0},
                  {0, false, 5, 0},
                  {0x40, false, 6, 0},
                  {0x80, false, 7, 0},
                  {0xc0, false, 8, 0},
                  {0, true, 9, 0}}));
  EXPECT_EQ(seen(requests_of("0x40 read\n0x80 write\n")), (Seen{{0x40, false, 0, 0}, {0x80, true, 0, 0}}));
  EXPECT_EQ(seen(requests_of("0x40 write 12\n0x80 read\n", "dir/misc_a.trc")),
            (Seen{{0x40, true, 0, 0}, {0x80, false, 0, 0}}));
  EXPECT_EQ(seen(requests_of("0x40 write 12\n", "a.trc")), (Seen{{0x40, true, 12, 0}}));
}

TEST(TraceReplay, ReadsTracesOfCpusWithWriteBacksBehindTheirReads) {
  EXPECT_EQ(
      seen(requests_of("3 4096\n8 64 128\n0 0x40 W\n1 0x80 R\n")),
      (Seen{
          {4096, false, 0, 0}, {64, false, 0, 0}, {128, true, 0, 0}, {64, true, 0, 0}, {128, false, 0, 0}}));
}

TEST(TraceReplay, CutsALengthOfItsOwnWhereChannelsChange) {
  const std::int64_t granule = load_memory("lpddr5-6400").interleave.count();
  EXPECT_EQ(
      seen(requests_of(fmt::format("5: ({}) write {:x} 00ff\n6: (16) read 0\n", granule + 48, granule - 16))),
      (Seen{{granule - 16, true, 5, 16},
            {granule, true, 5, granule},
            {2 * granule, true, 5, 32},
            {0, false, 6, 16}}));
}

TEST(TraceReplay, CoversExactlyTheBytesOfALength) {
  const config::Memory m = load_memory("lpddr5-6400");  // bursts of 32 B
  const auto reads = [&](const char* line) {
    const std::string text = line;
    return run_memory_bench(m,
                            [&] {
                              return std::make_unique<TraceSource>(std::make_unique<std::istringstream>(text),
                                                                   "t.stl", m);
                            },
                            "t", {})
        .commands.rd;
  };
  EXPECT_EQ(reads("0: (48) read 0x10"), 2);
  EXPECT_EQ(reads("0: (48) read 0x0"), 2);
  EXPECT_EQ(reads("0: (48) read 0x18"), 3);
  EXPECT_EQ(reads("0: (1) read 0x1f"), 1);
  EXPECT_EQ(reads("0: read 0x1f"), 2) << "64 B, aligned";
}

TEST(TraceReplay, CountsTheTimesOfRstlFromTheRequestBefore) {
  const config::Memory m = load_memory("lpddr5-6400");
  const auto admitted = [&](const std::string& text, const std::string& name) {
    std::vector<std::int64_t> cycles;
    BenchOptions options;
    options.window = 1;
    options.admitted = [&](int, std::int64_t cycle, const TrafficRequest&) { cycles.push_back(cycle); };
    run_memory_bench(
        m, [&] { return std::make_unique<TraceSource>(std::make_unique<std::istringstream>(text), name, m); },
        "t", options);
    return cycles;
  };
  const std::string text = "100: read 0x0\n5: read 0x40\n1000: read 0x80\n";
  const auto relative = admitted(text, "a.rstl");
  ASSERT_EQ(relative.size(), 3u);
  EXPECT_EQ(relative[0], 100);
  EXPECT_GT(relative[1], 105) << "the only place of the window was taken";
  EXPECT_EQ(relative[2], relative[1] + 1000);
  const auto absolute = admitted(text, "a.stl");
  EXPECT_EQ(absolute[1], relative[1]);
  EXPECT_EQ(absolute[2], 1000);
}

TEST(TraceReplay, PlaysATimeThatStartsAgainAtOnceAndCountsIt) {
  EXPECT_EQ(seen(requests_of("9: read 0x0\n0: read 0x40\n1: read 0x80\n")),
            (Seen{{0, false, 9, 0}, {0x40, false, 0, 0}, {0x80, false, 1, 0}}));
  EXPECT_EQ(check_trace(file_of("9: read 0x0\n0: read 0x40\n1: read 0x80\n"), load_memory("lpddr5-6400"))
                .out_of_order,
            1);
}

TEST(TraceReplay, FoldsVirtualAddressesOnlyWhenAsked) {
  const config::Memory m = load_memory("lpddr5-6400");
  const std::string text = "LD 0x7ffde0689818\nST 0xffffffffffffffff\nLD 0x40\n";
  EXPECT_THAT(error_of(text), testing::HasSubstr("--replay-fold"));
  const std::int64_t capacity = m.capacity.count();
  EXPECT_EQ(
      seen(requests_of(text, "t", true)),
      (Seen{{0x7ffde0689818 % capacity, false, 0, 0}, {capacity - 1, true, 0, 0}, {0x40, false, 0, 0}}));
  EXPECT_EQ(check_trace(file_of(text), m, true).folded, 2);
  EXPECT_THAT(error_of(fmt::format("0: (64) read {:x}\n", capacity - 32)),
              testing::HasSubstr("beyond the capacity"));
  EXPECT_EQ(seen(requests_of(fmt::format("0: (64) read {:x}\n", capacity - 32), "t", true)),
            (Seen{{capacity - 32, false, 0, 32}, {0, false, 0, 32}}));
}

TEST(TraceReplay, ShowsThreeErrorsOfAKindAndCountsTheRest) {
  std::string text = "LD 0\n";
  for (int i = 0; i < 20; ++i) text += "LD 0xffffffffff\nXX 0\n";
  const std::string error = error_of(text);
  EXPECT_EQ(std::count(error.begin(), error.end(), '\n'), 7);
  EXPECT_THAT(error, testing::HasSubstr(":8:1: and 17 further lines with 'capacity'"));
  EXPECT_THAT(error, testing::HasSubstr(":9:1: and 17 further lines with 'unknown command'"));
}

TEST(TraceReplay, CompletesWhatWasQueuedWhenTheTraceEndedAndSaysSo) {
  const config::Memory m = load_memory("lpddr5-6400");
  std::string text;
  for (int i = 0; i < 100; ++i) text += "LD " + std::to_string(64 * i) + "\n";
  const std::string path = file_of(text);
  const auto r = run_memory_bench(m, [&] { return std::make_unique<TraceSource>(path, m); }, "trace", {});
  EXPECT_EQ(r.requests, 100);
  EXPECT_EQ(r.read_latency_ns.count, 100);
  EXPECT_EQ(r.queued_at_end, 32);
  EXPECT_GT(r.drain_ns, 0);
}

TEST(TraceReplay, WaitsForTheClockOfARequestAndThePatternReplayedIsThePattern) {
  const config::Memory m = load_memory("lpddr5-6400");
  const std::string late = file_of("0x0 READ 5000\n");
  EXPECT_GE(run_memory_bench(m, [&] { return std::make_unique<TraceSource>(late, m); }, "t", {}).cycles,
            5000);
  std::string text;
  const auto pattern = make_pattern("rand64", 5000, m.capacity.count());
  for (TrafficRequest r; pattern->next(r);) text += "R " + std::to_string(r.address) + "\n";
  const std::string path = file_of(text);
  const auto replayed = run_memory_bench(m, [&] { return std::make_unique<TraceSource>(path, m); }, "t", {});
  const auto direct =
      run_memory_bench(m, [&] { return make_pattern("rand64", 5000, m.capacity.count()); }, "p", {});
  EXPECT_EQ(replayed.cycles, direct.cycles);
}

}  // namespace
}  // namespace edgenpu::hardware
