// Arbitration of the interconnect by hand: 4 B a cycle of 1 GHz.
#include "hardware/npu/interconnect.h"

#include <gtest/gtest.h>

#include "hardware/npu/npu_bench.h"

namespace edgenpu::hardware {
namespace {

using config::Arbitration;
using lowering::Unit;
using lowering::Wait;
using test::NpuBench;
using test::ProgramBuilder;

struct Wires : Interconnect {
  explicit Wires(Arbitration a, bool store_first = false)
      : Interconnect({Bytes(4), a, store_first}, Hertz(1'000'000'000)) {}
  // Cycles of the end of what is offered at cycle `start` and takes `cycles` alone.
  std::int64_t take(Unit unit, std::int64_t start, std::int64_t cycles, Age age = Age::younger) {
    return reserve(unit, Femtoseconds(start * 1'000'000), Bytes(4 * cycles), age).count() / 1'000'000;
  }
};

TEST(Interconnect, FirstComeFollowsWhatCameBefore) {
  Wires w(Arbitration::first_come);
  EXPECT_EQ(w.take(Unit::load, 0, 100), 100);
  EXPECT_EQ(w.take(Unit::store, 10, 20), 120);
  EXPECT_EQ(w.take(Unit::load, 200, 5), 205);
}

TEST(Interconnect, RoundRobinSharesTheWidthWhileBothLast) {
  Wires w(Arbitration::round_robin);
  EXPECT_EQ(w.take(Unit::load, 0, 100), 100);
  EXPECT_EQ(w.take(Unit::store, 10, 20), 50);    // a byte each: 40 cycles for 20
  EXPECT_EQ(w.take(Unit::store, 50, 100), 220);  // 70 beside the rest of the load, which it holds up to 120
  EXPECT_EQ(w.take(Unit::load, 300, 5), 305);
}

TEST(Interconnect, RoundRobinTakesWhatTheOtherLostFromItsNextTransfer) {
  Wires w(Arbitration::round_robin);
  EXPECT_EQ(w.take(Unit::load, 0, 100), 100);
  EXPECT_EQ(w.take(Unit::store, 0, 20), 40);
  EXPECT_EQ(w.take(Unit::load, 100, 10), 130) << "100 + 20 for the store + 10";
}

TEST(Interconnect, FixedLetsTheFirstMasterPassAndTheOtherWait) {
  Wires loads(Arbitration::fixed), stores(Arbitration::fixed, true);
  EXPECT_EQ(loads.take(Unit::store, 0, 100), 100);
  EXPECT_EQ(loads.take(Unit::load, 10, 20), 30) << "as if alone";
  EXPECT_EQ(loads.take(Unit::store, 100, 10), 130) << "behind what the load took";
  EXPECT_EQ(stores.take(Unit::store, 0, 100), 100);
  EXPECT_EQ(stores.take(Unit::load, 10, 20), 120);
}

TEST(Interconnect, AloneDoesNotCareForTheArbitration) {
  for (const Arbitration a : {Arbitration::first_come, Arbitration::round_robin, Arbitration::fixed}) {
    Wires w(a);
    EXPECT_EQ(w.take(Unit::load, 5, 10), 15);
    EXPECT_EQ(w.take(Unit::load, 5, 10), 25);
  }
}

using Age = Interconnect::Age;

TEST(Interconnect, LetsTheOldestDescriptorPassYoungerOnesThatWait) {
  for (const Arbitration a : {Arbitration::first_come, Arbitration::round_robin, Arbitration::fixed}) {
    Wires w(a);
    EXPECT_EQ(w.take(Unit::load, 0, 20, Age::oldest), 20);
    EXPECT_EQ(w.take(Unit::load, 0, 100, Age::younger), 120);
    EXPECT_EQ(w.take(Unit::load, 10, 30, Age::oldest), 50) << "behind its own 20, before the younger's 100";
    EXPECT_EQ(w.take(Unit::load, 10, 10, Age::younger), 160) << "which carry all that the wires were given";
    EXPECT_EQ(w.take(Unit::load, 90, 10, Age::oldest), 100) << "70 of the younger 110 are still to pass";
    EXPECT_EQ(w.take(Unit::load, 100, 10, Age::new_oldest), 180) << "behind those who were there before it";
  }
}

TEST(Interconnect, DoesNotLetALoadPassStoresThatCameFirst) {
  Wires w(Arbitration::first_come);
  EXPECT_EQ(w.take(Unit::store, 0, 100, Age::oldest), 100);
  EXPECT_EQ(w.take(Unit::load, 0, 50, Age::younger), 150);
  EXPECT_EQ(w.take(Unit::load, 0, 10, Age::oldest), 110);
}

// 64 KiB in and 64 KiB out at the same time over wires half as fast as the memory; then 20000 cycles of work
// on what came in.
std::int64_t load_beside_store(Arbitration arbitration, bool store_first) {
  config::Npu npu = test::sample_npu();
  npu.interconnect = {Bytes(4), arbitration, store_first};
  ProgramBuilder b;
  const int loaded = b.load(0, 65'536);
  b.store({1 << 20, Bytes(65'536), 1, Bytes(0)});
  b.vector(16 * 20'000, 1, {{loaded, Wait::data}});
  return NpuBench(npu, b.p).run();
}

TEST(InterconnectPriority, OfLoadsBringsThemEarlier) {
  // Alone, the load takes 16384 cycles of wires, after the first data (4 KiB at 8.192 B/ns, 100 ns of
  // latency).
  const std::int64_t alone = 16'384'000 + 20'000'000;
  const std::int64_t end = load_beside_store(Arbitration::fixed, false);
  EXPECT_GT(end, alone);
  EXPECT_LT(end, alone + 1'000'000);
}

TEST(InterconnectPriority, OfStoresHoldsThemUp) {
  // Both would take 32768; the last loads in flight have their ends before the last stores come.
  const std::int64_t end = load_beside_store(Arbitration::fixed, true);
  EXPECT_GT(end, 32'768'000 + 20'000'000 - 5 * 1'024'000);
  EXPECT_LT(end, 32'768'000 + 20'000'000 + 1'024'000);
}

TEST(InterconnectPriority, OfNobodyLiesBetween) {
  const std::int64_t end = load_beside_store(Arbitration::round_robin, false);
  EXPECT_GT(end, 16'384'000 + 20'000'000 + 1'000'000);
  EXPECT_LT(end, 2 * 16'384'000 + 20'000'000 + 2'000'000);
}

}  // namespace
}  // namespace edgenpu::hardware
