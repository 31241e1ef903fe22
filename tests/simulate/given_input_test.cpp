// What no operator makes of an operator's operands lies in memory: it is read, once at least, by every device.
#include <random>

#include "simulate/one_product.h"

namespace edgenpu {
namespace {

using test::OneProduct;

std::int64_t weights(const OneProduct& p) {
  return p.n * vocabulary::row_bytes(p.format, p.k).count();
}

TEST(GivenInput, OfAProductOfAThousandIsAMebibyte) {
  const OneProduct p{1024, 1024, 1024};
  const auto r = test::run_product(p, "npu-raiderchip-asic");
  EXPECT_EQ(r.metrics.dram_read_B - r.metrics.dram_refetched_B, 1'052'672 + (1 << 20));
  EXPECT_EQ(test::failed_checks(r), "");
}

TEST(GivenInput, IsReadByEveryKindOfDevice) {
  const OneProduct p{16, 512, 512, vocabulary::Format::F16};
  for (const char* hardware : {"npu-raiderchip-asic", "cpu-rk3588", "gpu-orin-nano"}) {
    const auto r = test::run_product(p, hardware);
    EXPECT_EQ(r.metrics.dram_read_B - r.metrics.dram_refetched_B, weights(p) + 16 * 512 * 2) << hardware;
    EXPECT_EQ(test::failed_checks(r), "") << hardware;
  }
}

TEST(GivenInput, ThatIsOnTheChipCostsNothing) {
  OneProduct p{16, 512, 512};
  const auto read = test::run_product(p, "npu-raiderchip-asic");
  p.input_on_chip = true;
  const auto there = test::run_product(p, "npu-raiderchip-asic");
  EXPECT_EQ(there.metrics.dram_read_B, weights(p));
  EXPECT_LT(there.total_s, read.total_s);
}

workload::Trace alone(const workload::OperatorBody& body, std::int64_t tokens) {
  workload::Trace t;
  t.model = "one operator";
  t.quant = "F16";
  t.phase = tokens == 1 ? workload::Phase::decode : workload::Phase::prefill;
  t.tokens = tokens;
  t.operators.push_back({"blk.0.only", 0, {}, body});
  if (std::holds_alternative<workload::KvWrite>(body)) {
    // Its place is that of an attention, which is left out of what is looked at.
    workload::Attention a{tokens, 8, 2, 64, 0, 0, vocabulary::Format::F16};
    t.operators.push_back({"blk.0.attention", 0, {}, a});
    t.operators.back().input_on_chip = true;
  }
  t.resident_weights = workload::weights_read(t);
  t.resident_kv = Bytes(1 << 20);
  return t;
}

struct GivenOperand {
  const char* what;
  workload::OperatorBody body;
  std::int64_t bytes;
};

std::vector<GivenOperand> operands(std::int64_t m) {
  using namespace workload;
  return {{"norm", Norm{Norm::Kind::rms, m, 1, 512, Bytes(2048)}, m * 512 * 4},
          {"rope", Rope{m, 8, 64}, m * 512 * 4},
          {"activation", Activation{Activation::Function::silu, m, 512, false}, m * 512 * 4},
          {"gated", Activation{Activation::Function::silu, m, 512, true}, 2 * m * 512 * 4},
          {"add", Add{m, 512}, 2 * m * 512 * 4},
          {"route", Route{m, 64, 4}, m * 64 * 4},
          {"combine", Combine{m, 4, 512}, m * 4 * 512 * 4},
          {"sample", Sample{m, 2048}, m * 2048 * 4},
          {"kv_write", KvWrite{m, 2, 64, Format::F16}, m * 2 * 2 * 64 * 2},
          {"attention", Attention{m, 8, 2, 64, 0, 0, Format::F16}, m * (8 + 2 * 2) * 64 * 2},
          {"attention in q8_0", Attention{m, 8, 2, 64, 0, 0, Format::Q8_0}, m * (8 * 64 * 2 + 2 * 2 * 68)},
          {"attention behind a cache", Attention{m, 8, 2, 64, 96, 0, Format::F16}, m * (8 + 2 * 2) * 64 * 2},
          {"attention in a window", Attention{m, 8, 2, 64, 96, 40, Format::F16}, m * (8 + 2 * 2) * 64 * 2}};
}

// A step of the operator without and with what it takes on the chip: the difference, and that nothing is counted twice.
void expect_read(const GivenOperand& o, std::int64_t m, const std::string& hardware,
                 const std::vector<std::string>& overrides = {}) {
  SCOPED_TRACE(testing::Message() << o.what << " of " << m << " on " << hardware);
  workload::Trace t = alone(o.body, m);
  const auto read = test::run_trace(t, hardware, overrides, false);
  EXPECT_EQ(test::failed_checks(read), "");
  EXPECT_EQ(read.metrics.dram_read_B - read.metrics.dram_refetched_B,
            workload::weights_read(t).count() + workload::kv_read_bytes(o.body).count() + o.bytes);
  t.operators[0].input_on_chip = true;
  const auto there = test::run_trace(t, hardware, overrides, false);
  EXPECT_EQ(there.metrics.dram_read_B - there.metrics.dram_refetched_B,
            workload::weights_read(t).count() + workload::kv_read_bytes(o.body).count());
}

TEST(GivenInput, OfEveryKindOfOperatorIsReadByEveryKindOfDevice) {
  for (const std::int64_t m : {1, 48})
    for (const GivenOperand& o : operands(m))
      for (const char* hardware : {"npu-raiderchip-asic", "cpu-rk3588", "gpu-orin-nano"})
        expect_read(o, m, hardware);
}

TEST(GivenInput, OfEveryKindOfOperatorIsReadInPartsByASmallScratchpad) {
  for (const GivenOperand& o : operands(300))
    expect_read(o, 300, "npu-raiderchip-asic", {"scratchpad.size=96 KiB"});
}

TEST(GivenInput, ThatIsWiderThanTheScratchpadIsRefusedWithTheBytes) {
  const workload::Trace t = alone(workload::Sample{1, 200'000}, 1);
  try {
    test::run_trace(t, "npu-raiderchip-asic", {"scratchpad.size=96 KiB"}, false);
    FAIL();
  } catch (const InfeasibleError& e) {
    EXPECT_NE(std::string(e.what()).find("blk.0.only: 800000 B of what it takes, which lie in memory"),
              std::string::npos)
        << e.what();
  }
}

// Whatever is tiled, the input is among the bytes that are needed, and what is read again is counted apart.
TEST(GivenInput, IsAccountedForInRandomShapesAndScratchpads) {
  std::mt19937 random(22);
  const auto below = [&](std::uint32_t n) { return static_cast<std::int64_t>(random() % n); };
  const std::vector<std::vector<std::string>> dataflows = {
      {"matrix.dataflow=dot_product"},
      {"matrix.dataflow=weight_stationary", "matrix.weight_load=overlapped"},
      {"matrix.dataflow=output_stationary", "matrix.drain=serial"}};
  for (int i = 0; i < 12; ++i) {
    const OneProduct p{1 + below(300), 1 + below(900), 1 + below(900)};
    const std::string size = std::to_string(24 << below(5));
    std::vector<std::string> overrides = dataflows[static_cast<std::size_t>(i % 3)];
    overrides.push_back("scratchpad.size=" + size + " KiB");
    const auto r = test::run_product(p, "npu-raiderchip-asic", overrides);
    SCOPED_TRACE(testing::Message() << p.m << " x " << p.n << " x " << p.k << " in " << size << " KiB");
    EXPECT_EQ(test::failed_checks(r), "");
    EXPECT_EQ(r.metrics.dram_read_B - r.metrics.dram_refetched_B, weights(p) + p.m * p.k);
  }
}

}  // namespace
}  // namespace edgenpu
