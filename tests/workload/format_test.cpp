#include "workload/format.h"

#include "base/error.h"
#include "workload/arithmetic.h"

namespace edgenpu::workload {
namespace {

// Bits per weight are what the names of the formats promise.
TEST(Format, StoresTheBitsPerWeightOfItsLayout) {
  const std::pair<Format, double> cases[] = {
      {Format::Q2_K, 2.625},    {Format::Q3_K, 3.4375},   {Format::Q4_K, 4.5},
      {Format::Q5_K, 5.5},      {Format::Q6_K, 6.5625},   {Format::Q8_0, 8.5},
      {Format::Q4_0, 4.5},      {Format::Q4_1, 5},        {Format::Q5_0, 5.5},
      {Format::Q5_1, 6},        {Format::IQ4_NL, 4.5},    {Format::IQ4_XS, 4.25},
      {Format::Q8_K, 9.125},    {Format::F16, 16},        {Format::Q4F16_32, 4.5},
      {Format::BF16, 16},       {Format::F32, 32},        {Format::W4_32, 4.5},
      {Format::W4, 4},          {Format::Q4_0_4_4, 4.5},  {Format::W8, 8},
      {Format::W4_128, 4.125},  {Format::AWQ_128, 4.125}, {Format::AX_S8, 8.5},
      {Format::AX_S4, 4.25},    {Format::MXFP4, 4.25},    {Format::NVFP4, 4.5},
      {Format::IQ1_S, 1.5625},  {Format::IQ1_M, 1.75},    {Format::IQ2_XXS, 2.0625},
      {Format::IQ2_XS, 2.3125}, {Format::IQ2_S, 2.5625},  {Format::IQ3_XXS, 3.0625},
      {Format::IQ3_S, 3.4375},  {Format::TQ1_0, 1.6875},  {Format::TQ2_0, 2.0625}};
  EXPECT_EQ(std::size(cases), all_formats().size());
  for (const auto& [format, bits] : cases)
    EXPECT_EQ(8.0 * info(format).block_bytes / info(format).block_elements, bits) << info(format).name;
}

// As ggml numbers them in GGUF files.
TEST(Format, IsKnownByItsNumberInAFile) {
  const std::pair<std::int64_t, Format> numbers[] = {
      {16, Format::IQ2_XXS}, {17, Format::IQ2_XS}, {18, Format::IQ3_XXS}, {19, Format::IQ1_S},
      {21, Format::IQ3_S},   {22, Format::IQ2_S},  {29, Format::IQ1_M},   {34, Format::TQ1_0},
      {35, Format::TQ2_0},   {39, Format::MXFP4},  {40, Format::NVFP4}};
  for (const auto& [number, format] : numbers) EXPECT_EQ(format_by_ggml_type(number), format) << number;
}

TEST(Format, PacksScalesOfRowsAndZeroPointsBesideTheBlocks) {
  EXPECT_EQ(row_bytes(Format::W8, 4096), Bytes(4096 + 4));
  EXPECT_EQ(row_bytes(Format::W4_128, 4096), Bytes(32 * 66));
  EXPECT_EQ(row_bytes(Format::AWQ_128, 4096), Bytes(32 * 66 + 16));
  EXPECT_EQ(row_bytes(Format::AWQ_128, 896), Bytes(7 * 66 + 4)) << "seven zero points take four bytes";
}

// Blocks of 544 columns, stored in sixteen chunks of 36 with a tail: 592 and 300 B.
TEST(Format, StoresWhatAxerasCompilerStores) {
  EXPECT_NEAR(static_cast<double>(row_bytes(Format::AX_S8, 544).count()), 592, 2);
  EXPECT_NEAR(static_cast<double>(row_bytes(Format::AX_S4, 544).count()), 300, 2);
}

// ExecuTorch quantises activations to 8 bits (8da4w): the peak of int8 bounds its products, not that of fp16.
TEST(Format, MultipliesWhatItsRuntimeMultiplies) {
  EXPECT_STREQ(arithmetic(Format::W4_32).operands, "int4_int8");
  EXPECT_STREQ(arithmetic(Format::W4_128).operands, "fp16");
}

// Block layouts of the formats' definitions: NVFP4 has a factor for 16, MXFP4 for 32, W4 one for the whole row.
TEST(Format, SharesAScaleAmongAsManyWeightsAsItsLayoutSays) {
  EXPECT_EQ(arithmetic(Format::NVFP4).scale_group, 16);
  EXPECT_EQ(arithmetic(Format::MXFP4).scale_group, 32);
  EXPECT_EQ(arithmetic(Format::W4).scale_group, kWholeRow);
  for (const FormatInfo& f : all_formats()) {
    const int group = f.arithmetic.scale_group;
    if (group == 0 || group == kWholeRow) continue;
    EXPECT_EQ(f.block_elements % group, 0) << f.name << ": a block has whole groups";
  }
}

// Twice the values of E2M1 reach 12, which no 4-bit integer does.
TEST(Format, OfFourBitFloatsHasNoFourBitIntegers) {
  for (const Format format : {Format::MXFP4, Format::NVFP4})
    for (const std::string& pair : operand_pairs(format)) EXPECT_NE(pair, "int4_int8");
}

TEST(Format, HasTheBytesOfWellKnownMatrices) {
  EXPECT_EQ(row_bytes(Format::Q4_K, 4096) * 14336, Bytes(33'030'144));
}

TEST(Format, IsFoundByItsNameAndItsGgmlType) {
  for (const FormatInfo& f : all_formats()) {
    EXPECT_EQ(format_by_name(f.name), f.format);
    if (f.ggml_type >= 0) {
      EXPECT_EQ(format_by_ggml_type(f.ggml_type), f.format);
    }
  }
  EXPECT_EQ(format_by_name("Q4_k"), std::nullopt);
  EXPECT_EQ(format_by_ggml_type(4), std::nullopt);  // Q4_2, removed from ggml
  EXPECT_EQ(format_by_ggml_type(-1), std::nullopt);
}

TEST(Format, RefusesARowThatIsNotWholeBlocks) {
  EXPECT_EQ(row_bytes(Format::Q4_K, 512), Bytes(288));
  EXPECT_THROW(row_bytes(Format::Q4_K, 511), InternalError);
  EXPECT_THROW(row_bytes(Format::F32, -1), InternalError);
}

}  // namespace
}  // namespace edgenpu::workload
