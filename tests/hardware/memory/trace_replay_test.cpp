#include "hardware/memory/trace_replay.h"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

std::vector<TrafficRequest> requests_of(const std::string& text) {
  const config::Memory m = load_memory("lpddr5-6400");
  TraceSource source(file_of(text), m);
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
  const auto s = requests_of("31: read 0x400140\n40:\twrite\t0x80 aabb\n50: read (32) 0x100\n");
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
  EXPECT_THAT(several, testing::HasSubstr(":5:1: 'LD' is incomplete"));
  EXPECT_THAT(error_of("READD 0x0\n"), testing::HasSubstr("did you mean 'READ'"));
  EXPECT_THAT(error_of("0x0 READ 100\n0x0 READ 90\n"), testing::HasSubstr("time runs backwards"));
  EXPECT_THAT(error_of("R 0,0,9,2,77,5\n"), testing::HasSubstr("part 3 is 9, but this memory has 4"));
  EXPECT_THROW(check_trace("/nonexistent/trace", load_memory("lpddr5-6400")), InputError);
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
