#include "vocabulary/weight_format.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace edgenpu::vocabulary {
namespace {

// Bits per weight are what the names of the formats promise.
TEST(Format, StoresTheBitsPerWeightOfItsLayout) {
  const std::pair<const char*, double> cases[] = {
      {"Q2_K", 2.625},    {"Q3_K", 3.4375},  {"Q4_K", 4.5},       {"Q5_K", 5.5},     {"Q6_K", 6.5625},
      {"Q8_0", 8.5},      {"Q4_0", 4.5},     {"Q4_1", 5},         {"Q5_0", 5.5},     {"Q5_1", 6},
      {"IQ4_NL", 4.5},    {"IQ4_XS", 4.25},  {"Q8_K", 9.125},     {"F16", 16},       {"Q4F16_32", 4.5},
      {"BF16", 16},       {"F32", 32},       {"W4_32", 4.5},      {"W4", 4},         {"Q4_0_4_4", 4.5},
      {"W8", 8},          {"W4_128", 4.125}, {"AWQ_128", 4.125},  {"AX_S8", 8.5},    {"AX_S4", 4.25},
      {"MXFP4", 4.25},    {"NVFP4", 4.5},    {"IQ1_S", 1.5625},   {"IQ1_M", 1.75},   {"IQ2_XXS", 2.0625},
      {"IQ2_XS", 2.3125}, {"IQ2_S", 2.5625}, {"IQ3_XXS", 3.0625}, {"IQ3_S", 3.4375}, {"TQ1_0", 1.6875},
      {"TQ2_0", 2.0625}};
  EXPECT_EQ(std::size(cases), all_formats().size());
  for (const auto& [name, bits] : cases) {
    const FormatInfo& f = info(format_named(name));
    EXPECT_EQ(8.0 * f.block_bytes / f.block_elements, bits) << name;
  }
}

// As ggml numbers them in GGUF files.
TEST(Format, IsKnownByItsNumberInAFile) {
  const std::pair<std::int64_t, const char*> numbers[] = {
      {16, "IQ2_XXS"}, {17, "IQ2_XS"}, {18, "IQ3_XXS"}, {19, "IQ1_S"}, {21, "IQ3_S"}, {22, "IQ2_S"},
      {29, "IQ1_M"},   {34, "TQ1_0"},  {35, "TQ2_0"},   {39, "MXFP4"}, {40, "NVFP4"}};
  for (const auto& [number, name] : numbers)
    EXPECT_EQ(format_by_ggml_type(number), format_named(name)) << number;
}

TEST(Format, PacksScalesOfRowsAndZeroPointsBesideTheBlocks) {
  EXPECT_EQ(row_bytes(format_named("W8"), 4096), Bytes(4096 + 4));
  EXPECT_EQ(row_bytes(format_named("W4_128"), 4096), Bytes(32 * 66));
  EXPECT_EQ(row_bytes(format_named("AWQ_128"), 4096), Bytes(32 * 66 + 16));
  EXPECT_EQ(row_bytes(format_named("AWQ_128"), 896), Bytes(7 * 66 + 4))
      << "seven zero points take four bytes";
}

// Blocks of 544 columns, stored in sixteen chunks of 36 with a tail: 592 and 300 B.
TEST(Format, StoresWhatAxerasCompilerStores) {
  EXPECT_NEAR(static_cast<double>(row_bytes(format_named("AX_S8"), 544).count()), 592, 2);
  EXPECT_NEAR(static_cast<double>(row_bytes(format_named("AX_S4"), 544).count()), 300, 2);
}

// ExecuTorch quantises activations to 8 bits (8da4w): the peak of int8 bounds its products, not that of fp16.
TEST(Format, MultipliesWhatItsRuntimeMultiplies) {
  EXPECT_EQ(info(format_named("W4_32")).arithmetic.operands, Operands::int4_int8);
  EXPECT_EQ(info(format_named("W4_128")).arithmetic.operands, Operands::fp16);
}

// Block layouts of the formats' definitions: NVFP4 has a factor for 16, MXFP4 for 32, W4 one for the whole row.
TEST(Format, SharesAScaleAmongAsManyWeightsAsItsLayoutSays) {
  EXPECT_EQ(info(format_named("NVFP4")).arithmetic.scale_group, 16);
  EXPECT_EQ(info(Format::MXFP4).arithmetic.scale_group, 32);
  EXPECT_EQ(info(format_named("W4")).arithmetic.scale_group, kWholeRow);
  for (const FormatInfo& f : all_formats()) {
    const int group = f.arithmetic.scale_group;
    if (group == 0 || group == kWholeRow) continue;
    EXPECT_EQ(f.block_elements % group, 0) << f.name << ": a block has whole groups";
  }
}

// Twice the values of E2M1 reach 12, which no 4-bit integer does.
TEST(Format, OfFourBitFloatsHasNoFourBitIntegers) {
  for (const Format format : {Format::MXFP4, format_named("NVFP4")})
    for (const Operands pair : operand_pairs(format)) EXPECT_NE(pair, Operands::int4_int8);
}

TEST(Format, HasTheBytesOfWellKnownMatrices) {
  EXPECT_EQ(row_bytes(Format::Q4_K, 4096) * 14336, Bytes(33'030'144));
}

TEST(Format, IsFoundByItsNameAndItsGgmlType) {
  for (std::size_t i = 0; i < all_formats().size(); ++i) {
    const FormatInfo& f = all_formats()[i];
    const auto format = static_cast<Format>(i);
    EXPECT_EQ(format_by_name(f.name), format);
    EXPECT_STREQ(info(format).name, f.name);
    if (f.ggml_type >= 0) {
      EXPECT_EQ(format_by_ggml_type(f.ggml_type), format);
    }
  }
  EXPECT_EQ(format_by_name("Q4_k"), std::nullopt);
  EXPECT_EQ(format_by_ggml_type(4), std::nullopt);  // Q4_2, removed from ggml
  EXPECT_EQ(format_by_ggml_type(-1), std::nullopt);
}

// Those that code names stand first, in the order in which it names them.
TEST(Format, NamedInCodeIsTheRowOfThatName) {
  const std::pair<Format, const char*> named[] = {
      {Format::F32, "F32"},    {Format::F16, "F16"},   {Format::BF16, "BF16"},     {Format::Q4_0, "Q4_0"},
      {Format::Q4_1, "Q4_1"},  {Format::Q5_0, "Q5_0"}, {Format::Q5_1, "Q5_1"},     {Format::Q8_0, "Q8_0"},
      {Format::Q2_K, "Q2_K"},  {Format::Q3_K, "Q3_K"}, {Format::Q4_K, "Q4_K"},     {Format::Q5_K, "Q5_K"},
      {Format::Q6_K, "Q6_K"},  {Format::Q8_K, "Q8_K"}, {Format::IQ4_NL, "IQ4_NL"}, {Format::IQ4_XS, "IQ4_XS"},
      {Format::MXFP4, "MXFP4"}};
  for (const auto& [format, name] : named) EXPECT_STREQ(info(format).name, name);
  EXPECT_THROW(format_named("Q4_k"), InternalError);
}

TEST(Format, RefusesARowThatIsNotWholeBlocks) {
  EXPECT_EQ(row_bytes(Format::Q4_K, 512), Bytes(288));
  EXPECT_THROW(row_bytes(Format::Q4_K, 511), InternalError);
  EXPECT_THROW(row_bytes(Format::F32, -1), InternalError);
}

}  // namespace
}  // namespace edgenpu::vocabulary
