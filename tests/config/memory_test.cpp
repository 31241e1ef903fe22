#include "config/memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rates.h"
#include "hardware/memory/memory_fixture.h"

namespace edgenpu::config {
namespace {

std::string error_of(const std::string& part, const std::vector<std::string>& set) {
  try {
    load_memory(part, set);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(MemoryConfig, ResolvesTheReferenceTimingsOfLpddr5InClocks) {
  const Memory m = load_memory("lpddr5-6400");
  const DramTimings& t = m.t;
  const std::vector<std::int64_t> clocks = {t.BL.count(),     t.RL.count(),
                                            t.WL.count(),     t.tRCD.count(),
                                            t.tRPpb.count(),  t.tRPab.count(),
                                            t.tRAS.count(),   t.tRC.count(),
                                            t.tRRD_S.count(), t.tFAW.count(),
                                            t.tWR.count(),    t.tRTP.count(),
                                            t.tRTW.count(),   t.tREFI.whole().count(),
                                            t.tRFCab.count(), t.tREFIpb.whole().count(),
                                            t.tRFCpb.count(), t.tpbR2act.count()};
  EXPECT_EQ(clocks, (std::vector<std::int64_t>{2, 17, 9, 15, 15, 17, 34, 49, 4, 16, 28, 8, 12, 3125, 224, 390,
                                               112, 6}));
  EXPECT_EQ(m.rows, 65536);
  EXPECT_EQ(m.mapping_text(), "row16,bank2,col5,bg2,col1");
  EXPECT_DOUBLE_EQ(m.peak().count(), 12.8e9);
  EXPECT_NEAR(m.refresh_loss(), 0.0717, 0.0001);
  EXPECT_TRUE(m.confirmed);
}

TEST(MemoryConfig, HasEveryPresetAndMarksTheUnconfirmedOne) {
  EXPECT_NEAR(load_memory("lpddr4x-4266").peak().count(), 8.53e9, 0.01e9);
  EXPECT_DOUBLE_EQ(load_memory("ddr4-3200").peak().count(), 25.6e9);
  EXPECT_DOUBLE_EQ(load_memory("ddr5-4800").peak().count(), 19.2e9);
  EXPECT_NEAR(load_memory("lpddr5x-8533").peak().count(), 17.066e9, 1e6);
  EXPECT_FALSE(load_memory("lpddr5x-8533").confirmed);
}

TEST(MemoryConfig, TakesTheRefreshTimeOfTheDieThatTheCapacityNeeds) {
  EXPECT_EQ(load_memory("lpddr5-6400", {"channels=8", "capacity=8 GiB"}).t.tRFCab.count(),
            168);                                                                   // 8 Gb: 210 ns
  EXPECT_EQ(load_memory("lpddr5-6400", {"capacity=4 GiB"}).t.tRFCab.count(), 304);  // 32 Gb: 380 ns
  EXPECT_THAT(error_of("lpddr5-6400", {"capacity=64 GiB"}), testing::HasSubstr("more ranks"));
}

TEST(MemoryConfig, AcceptsACapacityThatIsNoPowerOfTwo) {
  const Memory m = load_memory("lpddr5-6400", {"channels=8", "capacity=12 GiB"});
  EXPECT_EQ(m.rows, 49152);
  EXPECT_EQ(m.t.tRFCab.count(), 224);
  EXPECT_THAT(error_of("lpddr5-6400", {"channels=8", "capacity=12 GiB", "mapping=bank,row,col,bg"}),
              testing::HasSubstr("no power of two"));
}

TEST(MemoryConfig, HoldsTheClockOfDdr5WithoutDrift) {
  const Memory m = load_memory("ddr5-4800");
  // 2,400,000,000 clocks of 416.67 ps are a second to the femtosecond.
  EXPECT_EQ(time_of(Cycles(2'400'000'000), m.clock).count(), kFemtosecondsPerSecond);
}

TEST(MemoryConfig, RefusesContradictoryTimingsWithTheReason) {
  EXPECT_THAT(error_of("lpddr5-6400", {"timing.tRC=40 CK"}),
              testing::HasSubstr("tRC (40 CK) is shorter than tRAS + tRPpb (34 + 15 CK)"));
  EXPECT_THAT(error_of("lpddr5-6400", {"timing.tREFI=200 CK"}),
              testing::HasSubstr("'tREFI': an interval of 200 CK leaves no time for data"));
  EXPECT_THAT(error_of("lpddr5-6400", {"timing.tCCD_S=1 CK"}), testing::HasSubstr("shorter than a burst"));
  EXPECT_THAT(error_of("ddr4-3200", {"refresh=pb"}), testing::HasSubstr("needs tRFCpb"));
}

TEST(MemoryConfig, ReadsTrafficOfOtherMastersAndRefusesWhatCannotBe) {
  EXPECT_DOUBLE_EQ(load_memory("lpddr5-6400").background.bandwidth.count(), 0);
  const Memory m = load_memory("lpddr5-6400", {"background.bandwidth=1.5 GB/s"});
  EXPECT_DOUBLE_EQ(m.background.bandwidth.count(), 1.5e9);
  EXPECT_EQ(m.background.request, Bytes(1024));
  EXPECT_THAT(error_of("lpddr5-6400", {"background.bandwidth=99 GB/s"}),
              testing::HasSubstr("leaves nothing"));
  EXPECT_THAT(error_of("lpddr5-6400", {"background.bandwidth=1 GB/s", "background.request=96 B"}),
              testing::HasSubstr("must be a power of two from a burst (32 B)"));
  EXPECT_THAT(error_of("lpddr5-6400", {"background.bandwith=1 GB/s"}), testing::HasSubstr("did you mean"));
}

TEST(MemoryConfig, RefusesMisspeltKeysAndNamesTheNearest) {
  EXPECT_THAT(error_of("lpddr5-6400", {"chanels=2"}), testing::HasSubstr("did you mean 'channels'"));
  EXPECT_THAT(error_of("lpddr5-6400", {"timing.tRCDD=18 ns"}), testing::HasSubstr("did you mean 'tRCD'"));
  EXPECT_THAT(error_of("lpddr5-6400", {"refresh=abc"}), testing::HasSubstr("allowed: ab, pb, none"));
  EXPECT_THAT(error_of("lpddr5-6400", {"timing.tRCD=18"}), testing::HasSubstr("no unit"));
}

TEST(MemoryConfig, RefusesAnotherKind) {
  EXPECT_THAT(error_of("lpddr5-6400", {"kind=npu"}),
              testing::HasSubstr("'kind': found 'npu'; allowed: dram"));
}

TEST(MemoryConfig, RefusesMappingsThatAreNoBijection) {
  EXPECT_THAT(error_of("lpddr5-6400", {"mapping=row16,bank2,col5,bg2"}),
              testing::HasSubstr("places 5 bits of 'col'"));
  EXPECT_THAT(error_of("lpddr5-6400", {"mapping=row17,bank2,col5,bg2,col1"}),
              testing::HasSubstr("this memory has 16"));
  EXPECT_THAT(error_of("lpddr5-6400", {"mapping=row,bank,bank,col,bg"}),
              testing::HasSubstr("more than once"));
  EXPECT_THAT(error_of("lpddr5-6400", {"mapping=RoBaCoBgCi"}),
              testing::HasSubstr("did you mean 'RoBaCoBgCo'"));
  EXPECT_THAT(error_of("lpddr5-6400", {"mapping=row,bank,col^row,bg"}), testing::HasSubstr("no field"));
}

}  // namespace
}  // namespace edgenpu::config
