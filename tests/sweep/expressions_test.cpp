// Formulas over a point.
#include "sweep/expressions.h"

#include <gmock/gmock.h>

#include "sweep/columns.h"

namespace edgenpu::sweep {
namespace {

using result::Cell;
using ::testing::HasSubstr;

Cell value(const std::string& formula) {
  Expressions e({"channels", "clock_Hz", "model", "ttft_ms"});
  const int f = e.add(formula, {"here", 0, 0});
  e.set("channels", std::int64_t{5});
  e.set("clock_Hz", 1e9);
  e.set("model", std::string("qwen3-4b"));
  return e.evaluate(f);
}

std::string refusal(const std::string& formula) {
  try {
    value(formula);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(Expressions, CalculateInRealNumbers) {
  EXPECT_EQ(value("channels / 2"), Cell(2.5));
  EXPECT_EQ(value("channels * clock_Hz"), Cell(5e9));
}

TEST(Expressions, CompareTextAndNumbers) {
  EXPECT_EQ(value("model = 'qwen3-4b' and channels > 4"), Cell(std::int64_t{1}));
  EXPECT_EQ(value("model like 'llama%'"), Cell(std::int64_t{0}));
}

TEST(Expressions, MakeText) {
  EXPECT_EQ(value("printf('%d GiB', channels * 2)"), Cell(std::string("10 GiB")));
}

TEST(Expressions, SayNeitherTrueNorFalseOfAMissingValue) {
  EXPECT_EQ(value("ttft_ms > 1"), Cell());
  EXPECT_EQ(value("ttft_ms <= 1"), Cell());
}

TEST(Expressions, RefuseUnknownColumnsEvenInDoubleQuotes) {
  EXPECT_THAT(refusal("chanels > 1"),
              HasSubstr("here: 'chanels > 1': no column 'chanels'; did you mean 'channels'?"));
  EXPECT_NE(refusal("\"chanels\" > 1"), "");
}

TEST(Expressions, RefuseToActOrToReachOutside) {
  EXPECT_THAT(refusal("1); DELETE FROM point; --"), HasSubstr("is not an expression"));
  EXPECT_THAT(refusal("random()"), HasSubstr("not authorized"));
  EXPECT_THAT(refusal("load_extension('x')"), HasSubstr("not authorized"));
  EXPECT_THAT(refusal("(SELECT count(*) FROM sqlite_master)"), HasSubstr("is not an expression"));
  EXPECT_THAT(refusal("channels >"), HasSubstr("syntax error"));
}

TEST(Expressions, RefuseWhatIsNotOneClosedExpression) {
  for (const char* open : {"1) --", "1) /*", "1) /* x */ + (2", "1) + (2", "(1", "(channels", "'a",
                           "\"channels", "1 -- x", "1 /* x */", "channels > :x", "channels > ?",
                           "channels > ?1", "channels > @x", "channels > $x", "1, 2", "1;", ""})
    EXPECT_NE(refusal(open), "") << open;
  EXPECT_THAT(refusal("channels > :x"), HasSubstr("a parameter"));
  EXPECT_EQ(value("model <> ')--;/*' and (channels) = 5"), Cell(std::int64_t{1}));
  EXPECT_EQ(value("model <> 'it''s ('"), Cell(std::int64_t{1}));
}

TEST(Expressions, RefuseTheClockAndTextsOfMegabytes) {
  EXPECT_NE(refusal("current_timestamp"), "");
  EXPECT_NE(refusal("current_date > '2000'"), "");
  EXPECT_NE(refusal("length(zeroblob(100000000))"), "");
}

TEST(Columns, NameTheUnit) {
  const auto name = [](const std::string& path, const std::string& text) {
    return named_cell(path, config::parse_text(text, "test")).name;
  };
  EXPECT_EQ(name("scratchpad.size", "2 MiB"), "scratchpad_size_B");
  EXPECT_EQ(name("clock", "1 GHz"), "clock_Hz");
  EXPECT_EQ(name("memory.timing.tRCD", "18 ns"), "memory_timing_tRCD_s");
  EXPECT_EQ(name("scratchpad.width", "64 B/cycle"), "scratchpad_width_B_per_cycles");
  EXPECT_EQ(name("energy.uncore", "1.5 W"), "energy_uncore_W");
  EXPECT_EQ(name("price", "6 pJ/bit"), "price_J_per_B");
  EXPECT_EQ(name("matrix.engines", "8"), "matrix_engines");
  EXPECT_EQ(name("memory.refresh", "pb"), "memory_refresh");
}

TEST(Columns, HoldBaseUnitsAndWholeNumbersWhereTheyAreWhole) {
  EXPECT_EQ(named_cell("x", config::parse_text("2 MiB", "test")).cell, Cell(std::int64_t{2097152}));
  EXPECT_EQ(named_cell("x", config::parse_text("0.1 GHz", "test")).cell, Cell(std::int64_t{100000000}));
  EXPECT_EQ(named_cell("x", config::parse_text("18 ns", "test")).cell, Cell(18 * 1e-9));
  EXPECT_EQ(named_cell("x", config::parse_text("{value: 3, low: 1, high: 4}", "test")).cell,
            Cell(std::int64_t{3}));
}

TEST(Columns, NormalTextDoesNotDependOnUnitsOrderOrSources) {
  EXPECT_EQ(normal_text(config::parse_text("{a: 1 GHz, b: [1, x], source: s}", "")),
            normal_text(config::parse_text("{b: [1.0, x], a: 1000 MHz}", "")));
  EXPECT_NE(normal_text(config::parse_text("{a: 1 GHz}", "")), normal_text(config::parse_text("{a: 1}", "")));
}

}  // namespace
}  // namespace edgenpu::sweep
