// Configurations as text, and values at paths.
#include "config/write.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/resolve.h"

namespace edgenpu::config {
namespace {

Value parsed(const std::string& text) {
  return parse_text(text, "test");
}

TEST(Write, ReadsBackToTheSameContent) {
  for (const char* text :
       {"{a: 1 GHz, b: {c: [1, 2 KiB, x y], d: pb}}", "{a: \"true\", b: 'it''s: {x}', c: \"\"}",
        "{a: {}, b: []}", "{path: ../x/y.yaml, price: 6 pJ/bit, minus: -3, quote: 'say \"hi\" \\'}"}) {
    const Value v = parsed(text);
    const Value back = parsed(to_yaml(v));
    EXPECT_EQ(canonical_text(back), canonical_text(v)) << to_yaml(v);
  }
}

TEST(Write, KeepsWhatWasQuotedQuotedAndLeavesCitationsOut) {
  EXPECT_EQ(to_yaml(parsed("{a: \"8\", b: 8, source: {b: book}}")), "{a: \"8\", b: 8}");
}

TEST(Paths, FindTheNumberOfOneWithARange) {
  const Value tree = parsed("{a: {b: {value: 3 pJ, low: 1 pJ, high: 4 pJ}, c: {d: 1}}}");
  EXPECT_EQ(find_path(tree, "a.b")->text(), "3 pJ");
  EXPECT_EQ(find_path(tree, "a.b.low")->text(), "1 pJ");
  EXPECT_TRUE(find_path(tree, "a.c")->is_map());
  EXPECT_EQ(find_path(tree, "a.x"), nullptr);
  EXPECT_EQ(find_path(tree, "a.c.d.e"), nullptr);
}

TEST(Paths, SettingOneWithARangeKeepsTheRange) {
  Value tree = parsed("{a: {b: {value: 3 pJ, low: 1 pJ, high: 4 pJ}}}");
  set_path(tree, "a.b", parsed("2 pJ"));
  EXPECT_EQ(find_path(tree, "a.b")->text(), "2 pJ");
  EXPECT_EQ(find_path(tree, "a.b.high")->text(), "4 pJ");
}

TEST(Paths, AnOverrideOfAPartKeepsTheRangeToo) {
  const Value merged = merge(parsed("{b: {value: 3 pJ, low: 1 pJ, source: s}}"), parsed("{b: 2 pJ}"));
  EXPECT_EQ(find_path(merged, "b")->text(), "2 pJ");
  EXPECT_EQ(find_path(merged, "b.low")->text(), "1 pJ");
}

TEST(HardwareFile, ResolvesAgainAndAgainToWhatTheCommandLineGives) {
  const std::string path = std::string(EDGENPU_SOURCE_DIR) + "/hw_configs/npu/npu-raiderchip-asic.yaml";
  const HardwareFile file(path);
  for (const char* channels : {"4", "16"}) {
    const Value tree =
        file.resolve({{"memory.channels", parsed(channels)}, {"memory.part", parsed("lpddr5x-8533")}});
    EXPECT_EQ(canonical_text(tree),
              canonical_text(load_hardware_tree(
                  path, {std::string("memory.channels=") + channels, "memory.part=lpddr5x-8533"})));
  }
}

}  // namespace
}  // namespace edgenpu::config
