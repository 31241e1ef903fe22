#include "config/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace edgenpu::config {
namespace {

using ::testing::HasSubstr;

// Reads `text` with `read` and returns what was complained about.
template <class Read>
std::string complaint(const std::string& text, Read read) {
  try {
    const Value v = parse_text(text, "x.yaml");
    Diagnostics out;
    MapReader r(v, out, "'matrix'");
    read(r);
    r.finish();
    out.throw_if_any();
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(Reader, NamesFileLineColumnAllowedAndNearestForAnUnknownKey) {
  EXPECT_EQ(complaint("rows: 4\ncolums: 8\nsource: here\n",
                      [](MapReader& r) {
                        r.integer("rows", {1, 8});
                        r.integer("columns", {1, 8}, 1);
                      }),
            "x.yaml:2:1: unknown key 'colums' in 'matrix'; allowed: columns, rows, source; did you mean "
            "'columns'?");
}

TEST(Reader, ReportsADuplicateKeyAtItsSecondPlace) {
  EXPECT_EQ(complaint("rows: 4\nrows: 5\n", [](MapReader&) {}),
            "x.yaml:2:1: duplicate key 'rows'; a key is allowed once in a map");
}

TEST(Reader, ReportsAMissingKey) {
  EXPECT_THAT(complaint("a: 1\nsource: here",
                        [](MapReader& r) {
                          r.integer("a", {0, 9});
                          r.integer("rows", {1, 8});
                        }),
              HasSubstr("x.yaml:1:1: 'matrix' lacks the key 'rows': a whole number is needed"));
}

TEST(Reader, RefusesABareNumberWhereAUnitIsNeeded) {
  EXPECT_EQ(complaint("size: 512\nsource: here",
                      [](MapReader& r) {
                        r.bytes("size", {0, 1 << 30});
                      }),
            "x.yaml:1:7: 'size': '512' has no unit; a size is needed, for example \"512 KiB\"");
}

TEST(Reader, RefusesAUnitOfAnotherKind) {
  EXPECT_EQ(complaint("size: 3 GHz\nsource: here",
                      [](MapReader& r) {
                        r.bytes("size", {0, 1 << 30});
                      }),
            "x.yaml:1:7: 'size': '3 GHz' has the wrong unit; a size is needed, for example \"512 KiB\"");
}

TEST(Reader, RefusesAUnitThatDoesNotExist) {
  EXPECT_THAT(complaint("size: 3 kiB\nsource: here",
                        [](MapReader& r) {
                          r.bytes("size", {0, 1 << 30});
                        }),
              HasSubstr("'kiB' is not a unit"));
}

TEST(Reader, RefusesAnInexactSize) {
  EXPECT_THAT(complaint("size: 0.3 B\nsource: here",
                        [](MapReader& r) {
                          r.bytes("size", {0, 1 << 30});
                        }),
              HasSubstr("is not a whole number of base units"));
}

TEST(Reader, RefusesANumberOutOfRangeAndSaysTheRange) {
  EXPECT_EQ(complaint("rows: 9\nsource: here",
                      [](MapReader& r) {
                        r.integer("rows", {1, 8});
                      }),
            "x.yaml:1:7: 'rows': 9 is out of range; allowed: 1 to 8");
}

TEST(Reader, RefusesTextWhereAWholeNumberIsNeeded) {
  EXPECT_THAT(complaint("rows: many\nsource: here",
                        [](MapReader& r) {
                          r.integer("rows", {1, 8});
                        }),
              HasSubstr("'rows' must be a whole number, found 'many'"));
}

TEST(Reader, RefusesANumberWithoutASource) {
  EXPECT_THAT(complaint("rows: 4\n",
                        [](MapReader& r) {
                          r.integer("rows", {1, 8});
                        }),
              HasSubstr("x.yaml:1:7: 'rows' has no source"));
}

TEST(Reader, RefusesASourceForAKeyThatIsNotThere) {
  EXPECT_THAT(complaint("rows: 4\nsource: {rows: here, column: there}",
                        [](MapReader& r) {
                          r.integer("rows", {1, 8});
                        }),
              HasSubstr("a source for 'column'"));
}

TEST(Reader, ReportsAllErrorsOfAMapInOneGo) {
  const std::string all = complaint("rows: x\nsize: 4\nextra: 1\nsource: here", [](MapReader& r) {
    r.integer("rows", {1, 8});
    r.bytes("size", {0, 8});
  });
  EXPECT_THAT(all, HasSubstr("x.yaml:1:7"));
  EXPECT_THAT(all, HasSubstr("x.yaml:2:7"));
  EXPECT_THAT(all, HasSubstr("x.yaml:3:1"));
}

TEST(Reader, TakesTheLongFormOfANumberWithItsRange) {
  const Value v =
      parse_text("mac: {value: 0.15 pJ, low: 0.045 pJ, high: 0.25 pJ, source: notes, confidence: low}", "x");
  Diagnostics out;
  MapReader r(v, out, "prices");
  const Ranged mac = r.ranged("mac", unit::energy, {0, 1});
  r.finish();
  EXPECT_TRUE(out.empty());
  EXPECT_DOUBLE_EQ(mac.value, 0.15e-12);
  EXPECT_DOUBLE_EQ(mac.low, 0.045e-12);
  EXPECT_DOUBLE_EQ(mac.high, 0.25e-12);
  EXPECT_EQ(mac.source, "notes");
}

TEST(Reader, RefusesBoundsThatAreNoNumbersOfTheirValuesKind) {
  const std::string text =
      "handover: {value: 5 us, low: soon, high: 9, source: x}\nlanes: {value: 4, low: few, source: x}\n"
      "size: {value: 4 KiB, high: 1 s, source: x}\n";
  const std::string error = complaint(text, [](MapReader& r) {
    r.duration("handover", {0, 1});
    r.integer("lanes", {1, 8});
    r.bytes("size", {1, 1 << 20});
  });
  EXPECT_THAT(error, HasSubstr("x.yaml:1:30: 'handover.low': 'soon' does not start with a number"));
  EXPECT_THAT(error, HasSubstr("x.yaml:1:42: 'handover.high': '9' has no unit"));
  EXPECT_THAT(error, HasSubstr("x.yaml:2:24: 'lanes.low' must be a plain number, found 'few'"));
  EXPECT_THAT(error, HasSubstr("x.yaml:3:28: 'size.high': '1 s' has the wrong unit"));
}

TEST(Reader, NamesTheNearestChoice) {
  EXPECT_THAT(complaint("refresh: pg",
                        [](MapReader& r) {
                          r.choice("refresh", {"ab", "pb", "none"});
                        }),
              HasSubstr("'refresh': found 'pg'; allowed: ab, pb, none; did you mean 'pb'?"));
}

TEST(Reader, RefusesABooleanThatIsNeitherTrueNorFalse) {
  EXPECT_THAT(complaint("prefetch: yes", [](MapReader& r) { r.boolean("prefetch"); }),
              HasSubstr("'prefetch' must be true or false, found 'yes'"));
}

}  // namespace
}  // namespace edgenpu::config
