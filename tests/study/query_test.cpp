// Questions to a table of results.
#include "study/query.h"

#include <gmock/gmock.h>

namespace edgenpu::study {
namespace {

using result::Cell;
using result::Table;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Table sample() {
  const Cell none, ok = std::string("ok");
  const auto n = [](std::int64_t v) { return Cell(v); };
  return {{"number", "status", "engines", "time", "energy"},
          {{n(1), ok, n(1), 9.0, 1.0},
           {n(2), ok, n(2), 5.0, 2.0},
           {n(3), ok, n(2), 5.0, 2.0},  // equal to 2
           {n(4), ok, n(4), 5.0, 3.0},  // beaten by 2 in energy alone
           {n(5), ok, n(4), 2.0, 8.0},
           {n(6), std::string("infeasible"), n(8), none, none},
           {n(7), ok, n(8), 3.0, none}}};  // no energy known
}

std::vector<std::string> column(const Table& t, const std::string& name) {
  std::vector<std::string> texts;
  for (const auto& row : t.rows) texts.push_back(result::to_text(row[column_index(t, name, {})]));
  return texts;
}

TEST(Pareto, KeepsWhatNothingBeatsAndShowsTiesAndTheRowsThatDoNotCompete) {
  const Table t = pareto(sample(), {{"time", false}, {"energy", false}});
  EXPECT_THAT(column(t, "number"), ElementsAre("5", "2", "3", "1", "6", "7"));
  EXPECT_THAT(column(t, "front"), ElementsAre("front", "tie", "tie", "front", "infeasible", "no value"));
}

TEST(Pareto, MaximisesToo) {
  const Table t = pareto(sample(), {{"time", false}, {"engines", true}});
  EXPECT_THAT(column(t, "number"), ElementsAre("5", "7", "6"));
}

TEST(Best, GivesAllRowsThatTie) {
  EXPECT_THAT(column(best(filtered(sample(), "time >= 5"), {"time", false}), "number"),
              ElementsAre("2", "3", "4"));
}

TEST(Filter, KeepsRowsForWhichTheConditionHolds) {
  EXPECT_THAT(column(filtered(sample(), "time < 6 and energy < 5"), "number"), ElementsAre("2", "3", "4"));
  EXPECT_THAT(column(filtered(sample(), "status <> 'ok'"), "number"), ElementsAre("6"));
}

TEST(Filter, NamesTheNearestColumn) {
  try {
    filtered(sample(), "tim < 6");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr("--where: 'tim < 6': no column 'tim'; did you mean 'time'?"));
  }
}

TEST(Sort, PutsMissingValuesLastEitherWay) {
  EXPECT_THAT(column(sorted(sample(), "energy", false), "number"),
              ElementsAre("1", "2", "3", "4", "5", "6", "7"));
  EXPECT_THAT(column(sorted(sample(), "energy", true), "number"),
              ElementsAre("5", "4", "2", "3", "1", "6", "7"));
}

TEST(MainEffects, AverageTheMetricAtEachLevel) {
  const Table t = main_effects(sample(), {"engines"}, "time");
  EXPECT_THAT(column(t, "level"), ElementsAre("1", "2", "4", "8"));
  EXPECT_THAT(column(t, "mean_time"), ElementsAre("9", "5", "3.5", "3"));
  EXPECT_THAT(column(t, "points"), ElementsAre("1", "2", "2", "1"));
  const double mean = (9.0 + 5 + 5 + 5 + 2 + 3) / 6;
  EXPECT_EQ(t.rows[0].back(), Cell((9.0 - 3.0) / mean));
}

TEST(MainEffects, CutManyLevelsIntoQuarters) {
  Table t{{"status", "clock", "time"}, {}};
  for (int i = 0; i < 20; ++i) t.rows.push_back({std::string("ok"), std::int64_t{i}, 1.0 * i});
  EXPECT_THAT(column(main_effects(t, {"clock"}, "time"), "level"),
              ElementsAre("0 to 4", "5 to 9", "10 to 14", "15 to 19"));
}

}  // namespace
}  // namespace edgenpu::study
