// Ports and bank conflicts of the scratchpad, by hand. The sample NPU runs at 1 GHz; its scratchpad has 8
// banks of 64 B a cycle; 16 lanes take 128 B a cycle (two words) and bring 64 B (one).
#include <gtest/gtest.h>

#include "hardware/npu/bank_pool.h"
#include "hardware/npu/npu_bench.h"

namespace edgenpu::hardware {
namespace {

using test::NpuBench;
using test::ProgramBuilder;
using test::sample_npu;

constexpr std::int64_t kCycle = 1000;
constexpr std::int64_t kIssue = 4 * kCycle;

Femtoseconds cycles(std::int64_t n) {
  return Femtoseconds(n * 1'000'000);
}

// 32 banks of 64 B; streams of 8, 16 and 32 words.
struct Pool : BankPool {
  explicit Pool(int ports = 1) : BankPool(32, ports, Bytes(64), Hertz(1'000'000'000)) {
    set_path(0, Bytes(512));
    set_path(1, Bytes(1024));
    set_path(2, Bytes(4096));
    set_path(3, Bytes(2048));
  }
};

TEST(BankPool, GivesAnAccessAloneItsOwnPath) {
  Pool p;
  EXPECT_EQ(p.reserve(0, cycles(5), Bytes(512 * 100)).end, cycles(105));
  EXPECT_EQ(p.reserve(0, cycles(5), Bytes(512 * 10)).end, cycles(115)) << "behind the one before it";
  EXPECT_EQ(p.reserve(2, cycles(200), Bytes(2048 * 10)).end, cycles(210)) << "no more than the banks have";
}

TEST(BankPool, ServesTheOlderAccessFirst) {
  // While 8 of 32 banks are wanted by the older, 16 words a cycle shrink to 12: 1200 in 100 cycles, 160
  // in 10.
  Pool p;
  EXPECT_EQ(p.reserve(0, cycles(0), Bytes(512 * 100)).end, cycles(100));
  EXPECT_EQ(p.reserve(1, cycles(0), Bytes((1200 + 160) * 64)).end, cycles(110));
  // The third meets both: 32 x 3/4 x 1/2 = 12 words for 100 cycles, 16 for 10 more, then 32.
  EXPECT_EQ(p.reserve(3, cycles(0), Bytes((1200 + 160 + 320) * 64)).end, cycles(120));
  Pool two(2);
  EXPECT_EQ(two.reserve(0, cycles(0), Bytes(512 * 100)).end, cycles(100));
  EXPECT_EQ(two.reserve(1, cycles(0), Bytes(1024 * 100)).end, cycles(100)) << "two ports hold two accesses";
}

TEST(BankPool, LetsAccessesAsWideAsTheBanksFollowEachOther) {
  Pool p;
  EXPECT_EQ(p.reserve(2, cycles(0), Bytes(2048 * 10)).end, cycles(10));
  EXPECT_EQ(p.reserve(3, cycles(4), Bytes(2048 * 10)).end, cycles(20));
}

TEST(BankPool, DoesNotKnowOfAccessesThatAreOver) {
  Pool p;
  EXPECT_EQ(p.reserve(0, cycles(0), Bytes(512 * 100)).end, cycles(100));
  EXPECT_EQ(p.reserve(1, cycles(100), Bytes(1024 * 10)).end, cycles(110));
}

struct PortCase {
  const char* what;
  int read, write;
  bool shared, conflicts;
  std::int64_t cycles;
};

TEST(ScratchpadPorts, DecideWhetherReadingAndWritingMeet) {
  // 12800 B in, 6400 B out: 100 cycles each on the lanes' own paths. One shared port: the writes get 3/4 of a
  // word for 100 cycles, then the 25 words that are left. As a pool, 8 words a cycle each, 25 + 12.5,
  // together 37.5.
  for (const PortCase& c : {PortCase{"1r1w", 1, 1, false, true, 100},
                            {"1rw", 1, 0, true, true, 125},
                            {"2rw", 2, 0, true, true, 100},
                            {"1r1w pool", 1, 1, false, false, 25},
                            {"2r1w pool", 2, 1, false, false, 13},
                            {"1rw pool", 1, 0, true, false, 38}}) {
    config::Npu npu = sample_npu();
    npu.vector.start = Cycles(0);
    npu.scratchpad.read_ports = c.read;
    npu.scratchpad.write_ports = c.write;
    npu.scratchpad.shared_ports = c.shared;
    npu.scratchpad.conflicts = c.conflicts;
    activity::Counters counters(1);
    Scratchpad pad(npu, counters);
    const activity::OperatorId op{};
    const Femtoseconds read = pad.read(lowering::Unit::vector, cycles(0), Bytes(12'800), op);
    const Femtoseconds end = std::max(read, pad.write(lowering::Unit::vector, cycles(0), Bytes(6'400), op));
    EXPECT_EQ((end.count() + 999'999) / 1'000'000, c.cycles) << c.what;
  }
}

// 1600 elements that read 12800 B and write 6400 B, on the lanes' own paths.
struct BusyVector : NpuBench {
  explicit BusyVector(bool shared) : NpuBench(hardware(shared), program()) {}
  static config::Npu hardware(bool shared) {
    config::Npu npu = sample_npu();
    npu.vector.start = Cycles(0);
    npu.scratchpad.shared_ports = shared;
    npu.scratchpad.conflicts = true;
    return npu;
  }
  static lowering::Program program() {
    ProgramBuilder b;
    b.vector(1600, 1);
    b.p.vector[0].read = Bytes(12'800);
    b.p.vector[0].written = Bytes(6'400);
    return b.p;
  }
};

TEST(ScratchpadPorts, DoNotHoldTheVectorEngineWhereReadingAndWritingHaveTheirOwn) {
  BusyVector bench(false);
  EXPECT_EQ(bench.run(), kIssue + 100 * kCycle);
  EXPECT_EQ(bench.count("scratchpad_conflict_ps"), 0);
}

TEST(ScratchpadPorts, HoldTheVectorEngineWhereTheyAreShared) {
  BusyVector bench(true);
  EXPECT_EQ(bench.run(), kIssue + 125 * kCycle);
  EXPECT_EQ(bench.count("scratchpad_conflict_ps"), 25 * kCycle);
}

}  // namespace
}  // namespace edgenpu::hardware
