// Texts of others in tables, CSV, JSON and pictures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/chart.h"
#include "report/study.h"
#include "report/table.h"
#include "report/validation.h"

namespace edgenpu::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Names, StayInTheirLineOfATable) {
  TextTable t({{"name", TextTable::Align::left}, {"n"}});
  t.add({"a\nb\x1b[31m", "1"});
  t.add({std::string(100'000, 'x'), "2"});
  const std::string text = t.text();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
  EXPECT_THAT(text, HasSubstr("a\\nb\\x1b[31m"));
  EXPECT_LT(text.size(), 4000u);
}

TEST(Names, OfManyBytesTakeTheColumnsOfTheirCharacters) {
  TextTable t({{"name", TextTable::Align::left}, {"n"}});
  t.add({"\xc3\xa4\xc3\xb6", "1"});
  t.add({"abcd", "2"});
  EXPECT_EQ(t.text(), "  name  n\n  \xc3\xa4\xc3\xb6    1\n  abcd  2\n");
}

TEST(Names, ThatASpreadsheetWouldEvaluateAreText) {
  const std::string text = csv({{"a", "b"},
                                {{std::string("=1+1"), -2.5},
                                 {std::string("@x\x1b"), std::int64_t{-3}},
                                 {std::string("-4"), std::string("+cmd,x")}}});
  EXPECT_EQ(text, "a,b\n'=1+1,-2.5\n'@x\\x1b,-3\n-4,\"'+cmd,x\"\n");
}

TEST(Names, ThatAreNotUtf8DoNotStopTheJson) {
  result::Validation all;
  result::ValidationRow row;
  row.id = "a\xff";
  row.metric = "decode";
  row.measured = 1;
  all.rows.push_back(row);
  EXPECT_NO_THROW(nlohmann::json::parse(json(all, {"1", "c"})));
}

TEST(Names, InPicturesHoldNoMarkup) {
  const std::string svg = stacked_bars("a <b> & \x1b", {"x</text><script>"}, {});
  EXPECT_THAT(svg, HasSubstr("a &lt;b&gt; &amp;"));
  EXPECT_THAT(svg, Not(HasSubstr("<script>")));
  EXPECT_THAT(svg, Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace edgenpu::report
