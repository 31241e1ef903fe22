#include "timing/dram_address.h"

#include <gtest/gtest.h>
#include <set>

#include "hardware/memory/memory_fixture.h"

namespace edgenpu::timing {
namespace {

TEST(AddressMap, IsABijectionForEveryNamedMappingWithXorRanksAndOddNumbersOfChannels) {
  for (const char* mapping : {"RoBaCoBgCo", "RoBaCoBg", "RoBaBgCo", "RoCoBaBg",
                              "row,bank^row,col,bg^row,col1", "row,bank1,col,bank1^row,bg"})
    for (const char* ranks : {"ranks=1", "ranks=2"})
      for (const char* channels : {"channels=1", "channels=3"}) {
        const bool two = std::string(ranks) == "ranks=2";
        const std::string m1 = mapping;
        const std::string with_rank =
            m1.find(',') == std::string::npos ? "row,rank,bank,col,bg,col1" : "row,rank," + m1.substr(4);
        const config::Memory m = load_memory(
            "lpddr5-6400", {"mapping=" + (two ? with_rank : m1), ranks, channels, "capacity=6 MiB"});
        const AddressMap map(m);
        std::set<std::pair<int, std::int64_t>> seen;
        for (std::int64_t address = 0; address < m.capacity.count(); address += 32) {
          const int channel = map.channel_of(address);
          const std::int64_t local = map.local(address);
          ASSERT_EQ(map.global(channel, local), address);
          const DramAddress a = map.decode(local / 32);
          ASSERT_EQ(map.encode(a), local / 32) << mapping;
          ASSERT_EQ((a.rank * 4 + a.group) * 4 + a.bank, map.flat_bank(local / 32));
          ASSERT_LT(a.row, m.rows);
          seen.insert({channel, local / 32});
        }
        EXPECT_EQ(static_cast<std::int64_t>(seen.size()), m.capacity.count() / 32);
      }
}

TEST(AddressMap, PutsTheFieldsWhereTheReferenceNameSaysThem) {
  // RoBaCoBgCo = row16, bank2, col5, bg2, col1: the bank group changes every 64 bytes.
  const AddressMap map(load_memory("lpddr5-6400"));
  EXPECT_EQ(map.decode(1).column, 1);
  EXPECT_EQ(map.decode(2).group, 1);
  EXPECT_EQ(map.decode(8).column, 2);
  EXPECT_EQ(map.decode(256).bank, 1);
  EXPECT_EQ(map.decode(1024).row, 1);
}

TEST(AddressMap, StaysInOneRowWhenOnlyColumnBitsChange) {
  const AddressMap map(load_memory("lpddr5-6400", {"mapping=row,bank^row,col,bg^row,col1"}));
  const std::int64_t start = map.encode({0, 2, 3, 77, 0});
  std::int64_t burst = start;
  for (int i = 0; i < 64; ++i) {
    EXPECT_EQ(map.row(burst), 77);
    EXPECT_EQ(map.flat_bank(burst), 2 * 4 + 3);
    burst = (((burst | ~map.column_mask()) + 1) & map.column_mask()) | (burst & ~map.column_mask());
  }
  EXPECT_EQ(burst, start);
}

}  // namespace
}  // namespace edgenpu::timing
