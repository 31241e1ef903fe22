// `row` against `burst`: the closed form must say what the scheduler of single bursts says.
#include <gtest/gtest.h>

#include "hardware/memory/masters.h"
#include "hardware/memory/memory_fixture.h"

namespace edgenpu::hardware {
namespace {

constexpr std::int64_t kPayload = 8192;

struct Random {
  std::uint64_t s;
  std::int64_t below(std::int64_t n) {
    s ^= s >> 12, s ^= s << 25, s ^= s >> 27;
    return static_cast<std::int64_t>((s * 0x2545F4914F6CDD1DULL >> 11) % static_cast<std::uint64_t>(n));
  }
};

using Requests = std::function<MasterRequest(std::int64_t)>;

Requests stream(std::int64_t bytes) {
  return [bytes](std::int64_t i) { return MasterRequest{i * bytes, bytes, false}; };
}
Requests gather(std::int64_t bytes, std::int64_t capacity) {
  auto random = std::make_shared<Random>(Random{12345});
  return [=](std::int64_t) { return MasterRequest{random->below(capacity / bytes) * bytes, bytes, false}; };
}
// Tiles of `tile` bytes, one after the other, cut at payload borders: their ragged ends are short payloads
// between long ones. `scattered`: each tile elsewhere.
Requests tiles(std::int64_t tile, std::int64_t capacity, bool scattered) {
  auto random = std::make_shared<Random>(Random{777});
  auto at = std::make_shared<std::int64_t>(0);
  auto left = std::make_shared<std::int64_t>(tile);
  return [=](std::int64_t) {
    const std::int64_t bytes = std::min(*left, kPayload - *at % kPayload);
    const MasterRequest r{*at, bytes, false};
    *at += bytes;
    *left -= bytes;
    if (*left == 0) {
      *left = tile;
      if (scattered) *at = random->below((capacity - tile) / 64) * 64;
    }
    return r;
  };
}
Requests four_streams(std::int64_t capacity, std::int64_t offset) {
  return [=](std::int64_t i) {
    const std::int64_t k = i % 4;
    return MasterRequest{k * (capacity / 4) + offset * k + i / 4 * kPayload, kPayload, false};
  };
}
Requests with_writes(Requests inner, int every) {
  return [=](std::int64_t i) {
    MasterRequest r = inner(i);
    r.write = i % every == every - 1;
    return r;
  };
}

struct Case {
  const char* name;
  double points, energy;  // allowed difference: points of utilisation, share of energy
  std::function<std::vector<MasterSpec>(std::int64_t capacity)> masters;
};

// `requests` of the first master; the others run beside it.
std::vector<Case> cases() {
  return {
      {"stream", 1, 0.01,
       [](std::int64_t) {
         return std::vector<MasterSpec>{{8, 0, 3000, stream(kPayload)}};
       }},
      {"stream_window_2", 1, 0.01,
       [](std::int64_t) {
         return std::vector<MasterSpec>{{2, 0, 3000, stream(kPayload)}};
       }},
      {"stream_1KiB", 1, 0.01,
       [](std::int64_t) {
         return std::vector<MasterSpec>{{8, 0, 20000, stream(1024)}};
       }},
      {"stream_odd_sizes", 1, 0.01,
       [](std::int64_t) {
         return std::vector<MasterSpec>{
             {8, 0, 6000, [](std::int64_t i) {
                return MasterRequest{i * kPayload + 96 * (i % 5), 4096 + 96 * (i % 7), false};
              }}};
       }},
      {"tiles_of_33_KiB", 1, 0.01,
       [](std::int64_t c) {
         return std::vector<MasterSpec>{{8, 0, 6000, tiles(33 * 1024 + 320, c, false)}};
       }},
      {"tiles_of_73_KiB_apart", 1, 0.01,
       [](std::int64_t c) {
         return std::vector<MasterSpec>{{8, 0, 6000, tiles(73 * 1024 + 64, c, true)}};
       }},
      {"gather_8KiB", 1, 0.01,
       [](std::int64_t c) {
         return std::vector<MasterSpec>{{8, 0, 3000, gather(kPayload, c)}};
       }},
      {"gather_4KiB", 1, 0.01,
       [](std::int64_t c) {
         return std::vector<MasterSpec>{{8, 0, 6000, gather(4096, c)}};
       }},
      {"streams4_off", 1, 0.01,
       [](std::int64_t c) {
         return std::vector<MasterSpec>{{8, 0, 3000, four_streams(c, kPayload)}};
       }},
      {"random_64B", 3, 0.03,
       [](std::int64_t c) {
         return std::vector<MasterSpec>{{32, 0, 40000, gather(64, c)}};
       }},
      {"gather_1KiB", 3, 0.03,
       [](std::int64_t c) {
         return std::vector<MasterSpec>{{8, 0, 20000, gather(1024, c)}};
       }},
      {"gather_512B", 3, 0.03,
       [](std::int64_t c) {
         return std::vector<MasterSpec>{{16, 0, 20000, gather(512, c)}};
       }},
      {"streams4_al", 3, 0.03,
       [](std::int64_t c) {
         return std::vector<MasterSpec>{{8, 0, 3000, four_streams(c, 0)}};
       }},
      {"stream_with_writes", 3, 0.03,
       [](std::int64_t) {
         return std::vector<MasterSpec>{{8, 0, 3000, with_writes(stream(kPayload), 10)}};
       }},
      {"two_bulk_masters", 3, 0.03,
       [](std::int64_t c) {
         return std::vector<MasterSpec>{{4, 0, 1500, stream(kPayload)},
                                        {4, 0, 0, [c](std::int64_t i) {
                                           return MasterRequest{c / 2 + i * kPayload, kPayload, false};
                                         }}};
       }},
      {"bulk_with_pauses", 3, 0.03,
       [](std::int64_t) {
         return std::vector<MasterSpec>{{2, 700, 3000, stream(kPayload)}};
       }},
  };
}

struct Setting {
  const char* name;
  const char* part;
  std::vector<std::string> set;
};
std::vector<Setting> settings() {
  return {{"lpddr5_ab", "lpddr5-6400", {"refresh=ab"}},
          {"lpddr5_pb", "lpddr5-6400", {"refresh=pb"}},
          {"lpddr5_none", "lpddr5-6400", {"refresh=none"}},
          {"lpddr5_xor", "lpddr5-6400", {"mapping=row,bank^row,col,bg,col1"}},
          {"lpddr5_RoBaCoBg", "lpddr5-6400", {"mapping=RoBaCoBg"}},
          {"lpddr5_RoCoBaBg", "lpddr5-6400", {"mapping=RoCoBaBg"}},
          {"lpddr5_RoBaBgCo", "lpddr5-6400", {"mapping=RoBaBgCo"}},
          {"lpddr4_ab", "lpddr4x-4266", {}},
          {"ddr4_ab", "ddr4-3200", {}},
          {"ddr5_ab", "ddr5-4800", {}},
          {"rows_free", "lpddr5-6400", {"row_cost=false"}}};
}

class DetailAgreement : public testing::TestWithParam<std::tuple<Setting, Case>> {};

TEST_P(DetailAgreement, KeepsUtilisationAndEnergyOfTheBurstDetail) {
  const auto& [setting, c] = GetParam();
  const config::Memory m = load_memory(setting.part, setting.set);
  const auto specs = c.masters(m.capacity.count());
  const MastersOutcome burst = run_masters(m, Detail::burst, c.masters(m.capacity.count()));
  const MastersOutcome row = run_masters(m, Detail::row, c.masters(m.capacity.count()));
  std::printf("%-16s %-20s burst %6.2f row %6.2f  %+5.2f points  energy %+5.2f %%  ACT %ld %ld\n",
              setting.name, c.name, 100 * burst.utilisation, 100 * row.utilisation,
              100 * (row.utilisation - burst.utilisation), 100 * (row.energy() / burst.energy() - 1),
              burst.count("dram_activate"), row.count("dram_activate"));
  EXPECT_NEAR(100 * row.utilisation, 100 * burst.utilisation, c.points);
  EXPECT_NEAR(row.energy() / burst.energy(), 1, c.energy);
}

INSTANTIATE_TEST_SUITE_P(All, DetailAgreement,
                         testing::Combine(testing::ValuesIn(settings()), testing::ValuesIn(cases())),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param).name) + "_" +
                                  std::get<1>(info.param).name;
                         });

TEST(DetailAgreementOfSmallRequests, HoldsForSixCoresBesideABulkDma) {
  for (const char* refresh : {"ab", "pb"})
    for (const std::int64_t think : {100, 400, 2000}) {
      const config::Memory m = load_memory("lpddr5-6400", {std::string("refresh=") + refresh});
      const auto masters = [&] {
        std::vector<MasterSpec> specs;
        specs.push_back({4, 0, 3000, stream(kPayload)});
        for (int core = 0; core < 6; ++core) {
          auto random = std::make_shared<Random>(Random{static_cast<std::uint64_t>(77 + core)});
          const std::int64_t capacity = m.capacity.count();
          specs.push_back(
              {2, think, 0, [=](std::int64_t) {
                 return MasterRequest{random->below(capacity / 64) * 64, 64, random->below(5) == 0};
               }});
        }
        return specs;
      };
      std::vector<MasterOutcome> small(2);
      double utilisation[2];
      for (const Detail d : {Detail::burst, Detail::row}) {
        const MastersOutcome o = run_masters(m, d, masters());
        const auto i = static_cast<std::size_t>(d == Detail::row);
        utilisation[i] = 100 * o.utilisation;
        for (std::size_t core = 1; core < o.masters.size(); ++core)
          small[i].latency.insert(small[i].latency.end(), o.masters[core].latency.begin(),
                                  o.masters[core].latency.end());
      }
      const auto p99 = [&](int i) {
        return static_cast<double>(small[static_cast<std::size_t>(i)].quantile(0.99));
      };
      std::printf("refresh %s think %4ld: util %.2f %.2f  mean %.1f %.1f  p99 %.0f %.0f CK (%zu)\n", refresh,
                  think, utilisation[0], utilisation[1], small[0].mean(), small[1].mean(), p99(0), p99(1),
                  small[0].latency.size());
      EXPECT_NEAR(utilisation[1], utilisation[0], 3);
      EXPECT_NEAR(small[1].mean() / small[0].mean(), 1, 0.10);
      EXPECT_NEAR(p99(1) / p99(0), 1, 0.10);
    }
}

}  // namespace
}  // namespace edgenpu::hardware
