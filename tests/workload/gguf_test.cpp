#include "workload/gguf.h"

#include <cstdlib>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "support/gguf_image.h"

namespace edgenpu::workload {
namespace {

using test::GgufImage;
using ::testing::HasSubstr;

GgufFile read(const GgufImage& image) {
  return GgufFile::view(image.bytes().data(), image.bytes().size(), "f.gguf");
}

std::string refusal(const GgufImage& image) {
  try {
    read(image);
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

std::string tiny(const std::string& name) {
  return std::string(EDGENPU_SOURCE_DIR) + "/tests/data/tiny_models/" + name;
}

TEST(Gguf, ReadsEveryTypeOfMetadata) {
  GgufImage image;
  image.header(0, 15);
  image.text("u8").u32(0).put<std::uint8_t>(200);
  image.text("i8").u32(1).put<std::int8_t>(-3);
  image.text("u16").u32(2).put<std::uint16_t>(60000);
  image.text("i16").u32(3).put<std::int16_t>(-300);
  image.text("u32").u32(4).u32(4'000'000'000u);
  image.text("i32").u32(5).put<std::int32_t>(-70000);
  image.text("f32").u32(6).put(0.5f);
  image.text("bool").u32(7).put<std::uint8_t>(1);
  image.text("text").u32(8).text("tiny \xc3\xa9");
  image.text("array").u32(9).u32(5).u64(2).put<std::int32_t>(7).put<std::int32_t>(-8);
  image.text("u64").u32(10).u64(1ull << 40);
  image.text("i64").u32(11).put<std::int64_t>(-5);
  image.text("f64").u32(12).put(0.25);
  image.text("texts").u32(9).u32(8).u64(2).text("a").text("bc");
  image.text("nested").u32(9).u32(9).u64(1).u32(0).u64(2).put<std::uint8_t>(1).put<std::uint8_t>(2);
  const GgufFile file = read(image);
  EXPECT_EQ(file.integer("u8"), 200);
  EXPECT_EQ(file.integer("i8"), -3);
  EXPECT_EQ(file.integer("u16"), 60000);
  EXPECT_EQ(file.integer("i16"), -300);
  EXPECT_EQ(file.integer("u32"), 4'000'000'000);
  EXPECT_EQ(file.integer("i32"), -70000);
  EXPECT_EQ(file.real("f32"), 0.5);
  EXPECT_EQ(file.boolean("bool"), true);
  EXPECT_EQ(file.text("text"), "tiny \xc3\xa9");
  EXPECT_EQ(file.integers("array"), (std::vector<std::int64_t>{7, -8}));
  EXPECT_EQ(file.integer("u64"), std::int64_t{1} << 40);
  EXPECT_EQ(file.integer("i64"), -5);
  EXPECT_EQ(file.real("f64"), 0.25);
  EXPECT_EQ(file.array_length("texts"), 2u);
  EXPECT_EQ(file.integer("not there"), std::nullopt);
}

TEST(Gguf, ReadsVersionTwo) {
  GgufImage image;
  image.header(0, 1, 2).pair_u32("general.alignment", 64);
  EXPECT_EQ(read(image).alignment(), 64u);
}

TEST(Gguf, RefusesAValueOfAnotherType) {
  GgufImage image;
  image.header(0, 3).pair_text("name", "x").pair_u32("n", 3);
  image.text("big").u32(10).u64(1ull << 63);
  const GgufFile file = read(image);
  EXPECT_THROW(file.integer("name"), InputError);
  EXPECT_THROW(file.text("n"), InputError);
  EXPECT_THROW(file.boolean("n"), InputError);
  EXPECT_THROW(file.array_length("n"), InputError);
  EXPECT_THROW(file.integer("big"), InputError);
}

TEST(Gguf, PlacesTensorsInTheFile) {
  GgufImage image;
  image.header(2, 0).tensor("a", {4}, 0, 0).tensor("b", {256, 2}, 12, 32).align().zeros(16).zeros(16 + 288);
  const GgufFile file = read(image);
  ASSERT_EQ(file.tensors().size(), 2u);
  const GgufTensor& b = *file.find_tensor("b");
  EXPECT_EQ(b.format, Format::Q4_K);
  EXPECT_EQ(b.bytes, Bytes(288));
  EXPECT_EQ(b.rows(), 2);
  EXPECT_EQ(b.offset + 288, file.size());
  EXPECT_EQ(file.find_tensor("c"), nullptr);
}

TEST(GgufRefusal, NamesFileByteAndField) {
  EXPECT_EQ(refusal(GgufImage().u32(0x46554747).u32(3).u64(0)),
            "f.gguf: byte 8: tensor_count: needs 16 bytes, but the file ends after 8 more");
}

TEST(GgufRefusal, AnEmptyFile) {
  EXPECT_THAT(refusal(GgufImage()), HasSubstr("byte 0: magic"));
}

TEST(GgufRefusal, AnotherMagic) {
  EXPECT_THAT(refusal(GgufImage().u32(1).u32(3)), HasSubstr("'GGUF'"));
}

TEST(GgufRefusal, VersionsOtherThanTwoAndThree) {
  EXPECT_THAT(refusal(GgufImage().header(0, 0, 1)), HasSubstr("byte 4: version: 1; versions 2 and 3"));
  EXPECT_THAT(refusal(GgufImage().header(0, 0, 4)), HasSubstr("version: 4"));
  EXPECT_THAT(refusal(GgufImage().header(0, 0, 0x03000000)), HasSubstr("big-endian"));
}

TEST(GgufRefusal, CountsNearTwoToThe64) {
  EXPECT_THAT(refusal(GgufImage().header(~0ull, 0)), HasSubstr("byte 8: tensor_count: 18446744073709551615"));
  EXPECT_THAT(refusal(GgufImage().header(0, ~0ull)), HasSubstr("byte 16: metadata_kv_count"));
  EXPECT_THAT(refusal(GgufImage().header(0, 1).u64(~0ull).zeros(64)),
              HasSubstr("key: a text of 18446744073709551615"));
  for (const std::uint32_t type : {0u, 4u, 7u, 8u, 9u, 12u})
    EXPECT_THAT(refusal(GgufImage().header(0, 1).text("k").u32(9).u32(type).u64(~0ull).zeros(64)),
                HasSubstr("value: 18446744073709551615 items"));
}

TEST(GgufRefusal, UnknownValueTypes) {
  EXPECT_THAT(refusal(GgufImage().header(0, 1).text("k").u32(13).u64(0)), HasSubstr("'k': value type: 13"));
  EXPECT_THAT(refusal(GgufImage().header(0, 1).text("k").u32(9).u32(99).u64(0)),
              HasSubstr("array item type: 99"));
}

TEST(GgufRefusal, BooleansOtherThanZeroAndOne) {
  EXPECT_THAT(refusal(GgufImage().header(0, 1).text("k").u32(7).put<std::uint8_t>(2)),
              HasSubstr("a boolean of 2"));
}

TEST(GgufRefusal, ArraysNestedWithoutEnd) {
  GgufImage image;
  image.header(0, 1).text("k").u32(9);
  for (int i = 0; i < 100000; ++i) image.u32(9).u64(1);
  EXPECT_THAT(refusal(image), HasSubstr("nested more than 4 deep"));
}

TEST(GgufRefusal, DuplicateKeysAndEmptyKeys) {
  EXPECT_THAT(refusal(GgufImage().header(0, 2).pair_u32("k", 1).pair_u32("k", 1)),
              HasSubstr("'k': key: is there twice"));
  EXPECT_THAT(refusal(GgufImage().header(0, 1).pair_u32("", 1).zeros(9)), HasSubstr("key: is empty"));
}

TEST(GgufRefusal, TextThatIsNotUtf8) {
  for (const char* bad : {"\x80", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "a\xff"}) {
    EXPECT_THAT(refusal(GgufImage().header(0, 1).pair_u32(bad, 1).zeros(8)), HasSubstr("is not UTF-8"));
    EXPECT_THAT(refusal(GgufImage().header(0, 1).pair_text("k", bad)), HasSubstr("is not UTF-8"));
    EXPECT_THAT(refusal(GgufImage().header(1, 0).tensor(bad, {4}, 0, 0).align().zeros(16)),
                HasSubstr("is not UTF-8"));
  }
}

TEST(GgufRefusal, Alignments) {
  for (const std::uint32_t bad : {0u, 1u, 4u, 24u, 33u})
    EXPECT_THAT(refusal(GgufImage().header(0, 1).pair_u32("general.alignment", bad)),
                HasSubstr("a power of two of at least 8"));
  EXPECT_THAT(refusal(GgufImage().header(0, 1).pair_text("general.alignment", "32")),
              HasSubstr("whole number"));
}

GgufImage with_tensor(const std::vector<std::uint64_t>& dims, std::uint32_t type, std::uint64_t offset) {
  GgufImage image;
  image.header(1, 0).tensor("t", dims, type, offset).align().zeros(1024);
  return image;
}

TEST(GgufRefusal, DimensionCounts) {
  EXPECT_THAT(refusal(with_tensor({1, 1, 1, 1, 1, 1, 1, 1, 1}, 0, 0)),
              HasSubstr("'t': dimensions: 9; 1 to 4"));
  EXPECT_THAT(refusal(with_tensor({}, 0, 0)), HasSubstr("dimensions: 0"));
  EXPECT_EQ(refusal(with_tensor({2, 2, 2, 2}, 0, 0)), "accepted");
}

TEST(GgufRefusal, ZeroSizedTensors) {
  EXPECT_THAT(refusal(with_tensor({32, 0}, 0, 0)),
              HasSubstr("dimension: 0; a tensor has at least one element"));
}

TEST(GgufRefusal, SizesThatOverflow) {
  EXPECT_THAT(refusal(with_tensor({~0ull}, 0, 0)), HasSubstr("more than 2^63"));
  EXPECT_THAT(refusal(with_tensor({1ull << 32, 1ull << 32}, 0, 0)), HasSubstr("more than 2^63"));
  EXPECT_THAT(refusal(with_tensor({1ull << 62}, 0, 0)), HasSubstr("end past the data section"));
}

TEST(GgufRefusal, UnknownFormats) {
  for (const std::uint32_t type : {4u, 5u, 9u, 24u, 100u, 0xffffffffu})
    EXPECT_THAT(refusal(with_tensor({256}, type, 0)), HasSubstr("is not supported; supported: 0 (F32)"));
}

TEST(GgufRefusal, RowsThatAreNotWholeBlocks) {
  EXPECT_THAT(refusal(with_tensor({128, 2}, 12, 0)), HasSubstr("not whole blocks of Q4_K (256 elements)"));
}

TEST(GgufRefusal, OffsetsMisalignedOrPastTheEnd) {
  EXPECT_THAT(refusal(with_tensor({4}, 0, 16)),
              HasSubstr("offset: 16 is not a multiple of the alignment, 32"));
  EXPECT_EQ(refusal(with_tensor({8}, 0, 992)), "accepted");
  EXPECT_THAT(refusal(with_tensor({9}, 0, 992)),
              HasSubstr("end past the data section, which has 1024 bytes"));
  EXPECT_THAT(refusal(with_tensor({4}, 0, 1ull << 63)), HasSubstr("end past"));
  EXPECT_THAT(refusal(with_tensor({4}, 0, ~31ull)), HasSubstr("end past"));
}

TEST(GgufRefusal, TwoTensorsOfOneNameOrOnOnePlace) {
  EXPECT_THAT(
      refusal(GgufImage().header(2, 0).tensor("t", {8}, 0, 0).tensor("t", {8}, 0, 32).align().zeros(64)),
      HasSubstr("'t': name: is there twice"));
  EXPECT_THAT(
      refusal(GgufImage().header(2, 0).tensor("t", {16}, 0, 0).tensor("u", {8}, 0, 32).align().zeros(64)),
      HasSubstr("'t' and 'u' overlap"));
}

TEST(GgufRefusal, NamesLongerThanTheSpecificationAllows) {
  EXPECT_THAT(refusal(GgufImage().header(1, 0).tensor(std::string(65, 'x'), {8}, 0, 0).align().zeros(64)),
              HasSubstr("name: 65 bytes; at most 64"));
}

// Cut anywhere, the file is refused: nothing that it needs is at its end by chance.
TEST(GgufRefusal, AFileCutAtAnyByte) {
  GgufImage image;
  image.header(1, 2).pair_text("general.architecture", "llama").pair_u32("general.alignment", 32);
  image.tensor("t", {8}, 0, 0).align().zeros(32);
  ASSERT_EQ(refusal(image), "accepted");
  for (std::size_t size = 0; size < image.bytes().size(); ++size) {
    GgufImage cut = image;
    cut.bytes().resize(size);
    EXPECT_NE(refusal(cut), "accepted") << size;
  }
}

TEST(GgufRefusal, PathsThatAreNotFiles) {
  EXPECT_THROW(GgufFile::open("/nonexistent/model.gguf"), InputError);
  EXPECT_THROW(GgufFile::open(EDGENPU_SOURCE_DIR), InputError);
  EXPECT_THROW(GgufFile::open("/dev/null"), InputError);
}

TEST(GgufTinyModels, HaveTheShapesThatTheirDescriptionStates) {
  const GgufFile file = GgufFile::open(tiny("tiny_llama.Q4_K_M.gguf"));
  EXPECT_EQ(file.version(), 3u);
  EXPECT_EQ(file.text("general.architecture"), "llama");
  EXPECT_EQ(file.integer("llama.block_count"), 4);
  EXPECT_EQ(file.integer("llama.feed_forward_length"), 768);
  EXPECT_EQ(file.find_tensor("blk.2.attn_v.weight")->format, Format::Q6_K);
  EXPECT_EQ(file.find_tensor("blk.0.attn_v.weight")->format, Format::Q4_K);
  EXPECT_EQ(file.find_tensor("output.weight")->format, Format::Q6_K);
  const GgufFile moe = GgufFile::open(tiny("tiny_moe.Q4_K_M.gguf"));
  EXPECT_EQ(moe.find_tensor("blk.0.attn_k.weight")->format, Format::Q8_0);
  EXPECT_EQ(moe.find_tensor("blk.0.ffn_up_exps.weight")->dims, (std::vector<std::int64_t>{256, 256, 8}));
}

TEST(GgufTinyModels, LeaveNoByteOfTheDataSectionUnused) {
  for (const char* name : {"tiny_llama.Q4_K_M.gguf", "tiny_qwen2.Q4_K_M.gguf", "tiny_moe.Q4_K_M.gguf"}) {
    const GgufFile file = GgufFile::open(tiny(name));
    std::uint64_t end = 0;
    for (const GgufTensor& t : file.tensors()) {
      if (end != 0) {
        EXPECT_EQ(t.offset, end) << name << " " << t.name;
      }
      end = t.offset + (static_cast<std::uint64_t>(t.bytes.count()) + 31) / 32 * 32;
    }
    EXPECT_EQ(end, file.size()) << name;
  }
}

}  // namespace
}  // namespace edgenpu::workload
