#include "config/value.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "config/resolve.h"
#include "config/set_once.h"

namespace edgenpu::config {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class Files : public ::testing::Test {
 protected:
  Files() {
    static int n = 0;
    folder = fs::temp_directory_path() /
             ("edgenpu_value_" + std::to_string(::getpid()) + "_" + std::to_string(n++));
    fs::create_directories(folder / "memory");
  }
  ~Files() override { fs::remove_all(folder); }
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder / name) << text;
    return (folder / name).string();
  }
  fs::path folder;
};

TEST(Value, KeepsTheLineAndColumnOfEachPiece) {
  const Value v = parse_text("a:\n  b: [1, 2]\n", "x.yaml");
  const Value& list = *v.find("a")->find("b");
  EXPECT_EQ(to_string(list.position()), "x.yaml:2:6");
  EXPECT_EQ(to_string(list.items()[1].position()), "x.yaml:2:10");
}

TEST(Value, KeepsThePositionOfAnItemOfNothing) {
  const Value v = parse_text("a: [1, ~]\n", "x.yaml");
  const Value& nothing = v.find("a")->items()[1];
  EXPECT_TRUE(nothing.is_scalar());
  EXPECT_EQ(nothing.text(), "");
  EXPECT_EQ(to_string(nothing.position()), "x.yaml:1:8");
}

TEST(Value, ReportsMalformedYamlWithItsPosition) {
  try {
    parse_text("a: [1, 2\nb: 3\n", "x.yaml");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr("x.yaml:2:"));
    EXPECT_THAT(e.what(), HasSubstr("not valid YAML"));
  }
}

TEST(Value, RefusesToNestWithoutEnd) {
  std::string deep(500, '[');
  EXPECT_THROW(parse_text(deep + std::string(500, ']'), "x"), InputError);
}

TEST(Value, OverridesReachNestedKeysAndMakeMissingSections) {
  Value v = parse_text("memory: {channels: 8}", "x");
  apply_override(v, "memory.channels=4");
  apply_override(v, "lowering.prefetch=false");
  EXPECT_EQ(v.find("memory")->find("channels")->text(), "4");
  EXPECT_EQ(v.find("lowering")->find("prefetch")->text(), "false");
}

TEST(Value, AnOverrideOfARangedNumberKeepsItsRange) {
  Value v = parse_text("clock: {value: 1 GHz, low: 0.5 GHz, high: 2 GHz, source: s}", "x");
  apply_override(v, "clock=1.5 GHz");
  EXPECT_EQ(v.find("clock")->find("value")->text(), "1.5 GHz");
  EXPECT_EQ(v.find("clock")->find("low")->text(), "0.5 GHz");
}

TEST(Value, AnOverrideOutsideOfARangeDropsTheRange) {
  for (const char* value : {"0.2 pJ", "0.00001 nJ"}) {
    Value v =
        parse_text("a: {value: 0.1 pJ, low: 0.03 pJ, high: 0.17 pJ, confidence: low, source: x}", "x.yaml");
    apply_override(v, std::string("a=") + value);
    EXPECT_EQ(v.find("a")->find("value")->text(), value);
    for (const char* gone : {"low", "high", "confidence"})
      EXPECT_EQ(v.find("a")->find(gone), nullptr) << value;
  }
  const Value base = parse_text("a: {value: 1, low: 0.5, high: 2, source: x}", "x.yaml");
  EXPECT_EQ(merge(base, parse_text("a: 3", "y.yaml")).find("a")->find("high"), nullptr);
  EXPECT_NE(merge(base, parse_text("a: 1.5", "y.yaml")).find("a")->find("high"), nullptr);
}

TEST(Value, RefusesToSetOneThingTwice) {
  const auto error = [](const std::vector<std::string>& assignments) -> std::string {
    try {
      refuse_set_twice(assignments);
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(error({"dma.channels=2", "dma.channels_=2", "dma2.channels=1"}), "");
  EXPECT_EQ(error({"dma.channels=2", "clock=1 GHz", "dma.channels=4"}),
            "--set dma.channels=4: 'dma.channels' is set already, by --set dma.channels=2; one is allowed");
  EXPECT_THAT(error({"dma={channels: 2}", "dma.channels=4"}), HasSubstr("'dma' holds 'dma.channels'"));
  EXPECT_THAT(error({"dma.channels=4", "dma={channels: 2}"}), HasSubstr("'dma' holds 'dma.channels'"));
}

TEST(Value, RefusesAnOverrideWithoutPathOrValue) {
  Value v = parse_text("a: 1", "x");
  EXPECT_THROW(apply_override(v, "memory.channels"), InputError);
  EXPECT_THROW(apply_override(v, "=4"), InputError);
  EXPECT_THROW(apply_override(v, "a="), InputError);
  EXPECT_THROW(apply_override(v, "a.b=4"), InputError) << "a is no section";
}

TEST(Value, CanonicalTextIgnoresOrderAndSources) {
  EXPECT_EQ(canonical_text(parse_text("a: 1\nb: {c: 2}\nsource: x", "p")),
            canonical_text(parse_text("b: {c: 2, source: y}\na: 1", "q")));
  EXPECT_NE(canonical_text(parse_text("a: 1", "p")), canonical_text(parse_text("a: 2", "p")));
}

TEST_F(Files, AMissingFileIsNamed) {
  try {
    parse_file((folder / "none.yaml").string());
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr("none.yaml: cannot read this file"));
  }
}

TEST_F(Files, APartLiesBelowItsSectionAndKeepsItsSources) {
  write("memory/ddr.yaml", "rows: 8\ncolumns: 4\nsource: the standard\n");
  const std::string top = write("npu.yaml", "memory: {part: ddr, rows: 16, source: {rows: here}}\n");
  const Value tree = load_hardware_tree(top, {"memory.columns=2"});
  const Value& memory = *tree.find("memory");
  EXPECT_EQ(memory.find("rows")->text(), "16");
  EXPECT_EQ(memory.find("columns")->text(), "2");
  EXPECT_EQ(memory.find("source")->find("rows")->text(), "here");
  EXPECT_EQ(memory.find("source")->find("columns")->text(), "the standard");
}

TEST_F(Files, AnUnknownPartIsRefusedWithTheNearest) {
  write("memory/lpddr5-6400.yaml", "rows: 8\n");
  const std::string top = write("npu.yaml", "memory: {part: lpddr5-6500}\n");
  try {
    load_hardware_tree(top, {});
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr("no memory part 'lpddr5-6500'; there are: lpddr5-6400; did you mean"));
  }
}

TEST_F(Files, ExtendsLaysAFileOverAnother) {
  write("base.yaml", "clock: 1 GHz\nmatrix: {rows: 4}\nsource: {clock: a}\n");
  const Value tree = load_hardware_tree(write("top.yaml", "extends: base.yaml\nclock: 2 GHz\n"), {});
  EXPECT_EQ(tree.find("clock")->text(), "2 GHz");
  EXPECT_EQ(tree.find("matrix")->find("rows")->text(), "4");
  EXPECT_EQ(tree.find("extends"), nullptr);
}

TEST_F(Files, PartsAndBasesAreFoundBesideTheFilesAndAmongTheShippedOnes) {
  write("memory/mine.yaml", "clock: 1 GHz\n");
  write("base.yaml", "memory: {part: mine}\n");
  fs::create_directories(folder / "elsewhere");
  const std::string up = write("elsewhere/up.yaml", "extends: ../base.yaml\n");
  EXPECT_NE(find_path(load_hardware_tree(up, {}), "memory.clock"), nullptr);
  const std::string by_name = write("elsewhere/by_name.yaml", "extends: base.yaml\n");
  EXPECT_NE(find_path(load_hardware_tree(by_name, {}, "", folder.string()), "memory.clock"), nullptr);
  const std::string part = write("elsewhere/part.yaml", "memory: {part: mine}\n");
  EXPECT_NE(find_path(load_hardware_tree(part, {}, "", folder.string()), "memory.clock"), nullptr);
  try {
    load_hardware_tree(part, {});
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr("part.yaml:1:16: no memory part 'mine'; there are none in " +
                                    (folder / "elsewhere/memory").string()));
  }
  try {
    load_hardware_tree(by_name, {}, "", (folder / "memory").string());
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr("no such file: " + (folder / "elsewhere/base.yaml").string() + " or " +
                                    (folder / "memory/base.yaml").string()));
  }
}

TEST_F(Files, ANameIsAShippedDescriptionInTheFolderOfItsKind) {
  fs::create_directories(folder / "npu");
  write("memory/mine.yaml", "clock: 1 GHz\n");
  const std::string path = write("npu/npu-one.yaml", "memory: {part: mine}\n");
  const std::string shipped = folder.string();
  EXPECT_EQ(hardware_file("npu-one", shipped), path);
  EXPECT_NE(find_path(load_hardware_tree("npu-one", {}, "", shipped), "memory.clock"), nullptr);
  EXPECT_NE(find_path(load_hardware_tree(path, {}), "memory.clock"), nullptr)
      << "beside the folder of its kind";
  const std::string mine = write("mine.yaml", "extends: npu-one\nclock: 2 GHz\n");
  EXPECT_NE(find_path(load_hardware_tree(mine, {}, "", shipped), "memory.clock"), nullptr);
}

TEST_F(Files, AMisspeltOrMovedDescriptionIsAnsweredWithTheNearestName) {
  fs::create_directories(folder / "npu");
  write("npu/npu-one.yaml", "clock: 1 GHz\n");
  const std::string extends = write("mine.yaml", "extends: ../npu-one.yaml\n");
  const auto error_of = [&](const std::string& name) -> std::string {
    try {
      load_hardware_tree(name, {}, "", folder.string());
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_THAT(error_of("npu-ome"), HasSubstr("there are: npu-one; did you mean 'npu-one'?"));
  EXPECT_THAT(error_of(folder / "npu-one.yaml"), HasSubstr("did you mean 'npu-one'?"));
  EXPECT_THAT(error_of(extends), HasSubstr("mine.yaml:1:10: no such file"));
  EXPECT_THAT(error_of(extends), HasSubstr("did you mean 'npu-one'?"));
}

TEST_F(Files, ACircleOfExtendsEnds) {
  write("a.yaml", "extends: b.yaml\n");
  write("b.yaml", "extends: a.yaml\n");
  EXPECT_THROW(load_hardware_tree((folder / "a.yaml").string(), {}), InputError);
}

TEST(ParseText, EndsWhereTheParserMakesNoProgressBehindTheFirstDocument) {
  for (const char* text : {"a: 1\n]\n", "- a\n}\n", "a: 1\n---\n]\n", "a\n...\n}\n"})
    EXPECT_THROW(parse_text(text, "t"), InputError) << text;
}

}  // namespace
}  // namespace edgenpu::config
