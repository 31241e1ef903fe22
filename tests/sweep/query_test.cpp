// Questions to a table of results.
#include "sweep/query.h"

#include <gmock/gmock.h>

#include "sweep/metrics.h"

namespace edgenpu::sweep {
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
  const Table t = main_effects(sample(), {"engines"}, {0}, "time").table;
  EXPECT_THAT(column(t, "level"), ElementsAre("1", "2", "4", "8"));
  EXPECT_THAT(column(t, "mean_time"), ElementsAre("9", "5", "3.5", "3"));
  EXPECT_THAT(column(t, "points"), ElementsAre("1", "2", "2", "1"));
  const double mean = (9.0 + 5 + 5 + 5 + 2 + 3) / 6;
  EXPECT_EQ(t.rows[0][column_index(t, "range", {})], Cell((9.0 - 3.0) / mean));
}

TEST(MainEffects, CutManyLevelsIntoQuarters) {
  Table t{{"status", "clock", "time"}, {}};
  for (int i = 0; i < 20; ++i) t.rows.push_back({std::string("ok"), std::int64_t{i}, 1.0 * i});
  EXPECT_THAT(column(main_effects(t, {"clock"}, {0}, "time").table, "level"),
              ElementsAre("0 to 4", "5 to 9", "10 to 14", "15 to 19"));
}

// rows x engines, of which one is missing: time is 10 rows + engines.
Table crossed() {
  Table t{{"status", "rows", "engines", "memory", "time"}, {}};
  for (std::int64_t rows = 1; rows <= 3; ++rows)
    for (std::int64_t engines = 1; engines <= 4; ++engines)
      if (rows != 3 || engines != 1)
        t.rows.push_back({std::string("ok"), rows, engines, rows * engines,
                          10.0 * static_cast<double>(rows) + static_cast<double>(engines)});
  return t;
}

TEST(MainEffects, CompareLikeWithLike) {
  const Effects e = main_effects(crossed(), {"rows", "engines", "memory"}, {0, 1, -1}, "time");
  EXPECT_THAT(column(filtered(e.table, "input = 'engines'"), "mean_time"),
              ElementsAre("16", "17", "18", "19"));
  EXPECT_THAT(column(filtered(e.table, "input = 'rows'"), "mean_time"), ElementsAre("13", "23", "33"));
  EXPECT_THAT(column(filtered(e.table, "input = 'rows'"), "differs_too"), ElementsAre("", "", ""));
  EXPECT_THAT(column(filtered(e.table, "input = 'memory'"), "differs_too"), ::testing::Each("other inputs"));
  EXPECT_THAT(e.notes, ElementsAre(HasSubstr("rows: 2 of 11 points left out"),
                                   HasSubstr("engines: 3 of 11 points left out")));
}

TEST(MainEffects, SayWhatElseDiffers) {
  const Effects zipped = main_effects(crossed(), {"rows", "engines"}, {0, 0}, "time");
  EXPECT_THAT(column(filtered(zipped.table, "input = 'rows'"), "differs_too"), ::testing::Each("engines"));
  const Effects diagonal =
      main_effects(filtered(crossed(), "rows = engines"), {"rows", "engines"}, {0, 1}, "time");
  EXPECT_THAT(column(diagonal.table, "differs_too"), ::testing::Each("other inputs"));
  EXPECT_THAT(diagonal.notes,
              ElementsAre(HasSubstr("rows: no point has companions"), HasSubstr("engines: no point")));
}

Table two_phases() {
  const Cell ok = std::string("ok");
  const auto s = [](const char* text) { return Cell(std::string(text)); };
  return {{"number", "status", "phase", "channels", "rate", "energy_J_per_token", "power_scope"},
          {{std::int64_t{1}, ok, s("decode"), std::int64_t{2}, 37.0, 1.0, s("die")},
           {std::int64_t{2}, ok, s("decode"), std::int64_t{4}, 60.0, 1.0, s("die")},
           {std::int64_t{3}, ok, s("prefill"), std::int64_t{2}, 4829.0, 0.5, s("soc+dram")},
           {std::int64_t{4}, s("infeasible"), s("prefill"), std::int64_t{4}, Cell(), Cell(), Cell()}}};
}

TEST(Questions, AreWhatPointsAreNotHeldAgainstEachOtherIn) {
  const std::vector<std::string> inputs = {"phase", "channels"};
  EXPECT_THAT(questions(two_phases(), inputs, {{"rate", true}}), ElementsAre("phase"));
  EXPECT_THAT(questions(two_phases(), inputs, {{"energy_J_per_token", false}}),
              ElementsAre("phase", "power_scope"));
  EXPECT_TRUE(questions(filtered(two_phases(), "phase = 'decode'"), inputs, {{"rate", true}}).empty());
  EXPECT_THAT(column(best(two_phases(), {"rate", true}, {"phase"}), "number"), ElementsAre("2", "3"));
  EXPECT_THAT(column(pareto(two_phases(), {{"rate", true}}, {"phase"}), "number"),
              ElementsAre("2", "3", "4"));
}

TEST(MainEffects, RefuseAMeanOverPromptsAndDecodeSteps) {
  try {
    main_effects(two_phases(), {"phase", "channels"}, {0, 1}, "rate");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr("--metric: the points differ in 'phase'"));
  }
}

TEST(Best, SaysWhyThereIsNone) {
  EXPECT_EQ(why_none(filtered(sample(), "number > 5"), {{"energy", false}}),
            "of 2 points 1 are infeasible, 1 have no energy");
  EXPECT_EQ(why_none(filtered(sample(), "number > 50"), {{"energy", false}}),
            "of 0 points none meets the condition");
}

TEST(Filter, CountsRowsForWhichItIsNeitherTrueNorFalse) {
  std::int64_t silent = 0;
  filtered(sample(), "energy < 5", &silent);
  EXPECT_EQ(silent, 2);
}

TEST(Notes, NameAnAxisThatChangedNoResult) {
  Table t = two_phases();
  t.columns = {"number", "status", "message", "rows", "tokens_per_s"};
  for (const std::string& c : output_columns())
    if (c != "tokens_per_s") t.columns.push_back(c);
  const auto row = [&](std::int64_t rows, double rate, const char* message) {
    std::vector<Cell> r(t.columns.size());
    r[1] = std::string("ok");
    r[2] = std::string(message);
    r[3] = rows;
    r[4] = rate;
    return r;
  };
  t.rows = {row(1, 5, ""), row(2, 5, "")};
  EXPECT_THAT(study_notes(t, {"rows"}, {0}), ElementsAre(HasSubstr("the axis rows changed nothing")));
  t.rows = {row(1, 5, ""), row(2, 6, "neither meets nor breaks x")};
  EXPECT_THAT(study_notes(t, {"rows"}, {0}),
              ElementsAre(HasSubstr("says nothing about 1 of 2 points: neither meets")));
}

}  // namespace
}  // namespace edgenpu::sweep
