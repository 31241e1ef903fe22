// The results file: what goes in comes out, and what can be wrong with it.
#include "study/store.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>

#include "study/metrics.h"
#include "study/query.h"
#include "study/study_fixture.h"

namespace edgenpu::study {
namespace {

using ::testing::HasSubstr;
using Results = test::StudyFolder;
using result::Cell;

const std::string kStudy = "axes: {grid: {matrix.engines: [2, 4]}}\n";

Row row_of(const Point& p, const std::string& status = "ok") {
  Row row;
  row.number = p.number;
  row.id = p.id;
  row.status = status;
  row.outputs.resize(output_columns().size());
  row.outputs[0] = 12.5;
  row.energy_J = {{"matrix", 0.25}};
  row.config = "{clock: 1 GHz}";
  return row;
}

std::string failure(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(Row, ComesOutOfItsBytes) {
  Row row;
  row.number = 7;
  row.status = "failed";
  row.outputs = {Cell(), std::int64_t{-3}, 0.1, std::string("text")};
  row.energy_J = {{"a", 1.5}, {"b", 2}};
  row.peak_rss_B = 99;
  const Row back = row_from_bytes(to_bytes(row));
  EXPECT_EQ(back.outputs, row.outputs);
  EXPECT_EQ(back.energy_J, row.energy_J);
  EXPECT_EQ(back.status, "failed");
  EXPECT_EQ(back.peak_rss_B, 99);
  EXPECT_THROW(row_from_bytes(to_bytes(row).substr(0, 40)), InternalError);
}

TEST_F(Results, GiveBackEachPointWithInputsOutputsAndEnergy) {
  const Expansion e = expand(kStudy);
  Store store(path("r.sqlite"), Store::Mode::write);
  store.begin_study(e, "tool");
  store.put(row_of(e.points()[1]), "tool");
  const result::Table t = store.points("small");
  ASSERT_EQ(t.rows.size(), 2u);
  const auto at = [&](std::size_t row, const char* column) {
    return t.rows[row][column_index(t, column, {})];
  };
  EXPECT_EQ(at(0, "status"), Cell(std::string("missing")));
  EXPECT_EQ(at(0, "matrix_engines"), Cell(std::int64_t{2}));
  EXPECT_EQ(at(1, "matrix_engines"), Cell(std::int64_t{4}));
  EXPECT_EQ(at(1, "tokens_per_s"), Cell(12.5));
  EXPECT_EQ(at(1, "energy_matrix_J"), Cell(0.25));
  EXPECT_EQ(at(1, "tool"), Cell(std::string("tool")));
  EXPECT_EQ(store.statuses().size(), 1u);
}

TEST_F(Results, MergeTakesOverMissingAndFailedRows) {
  const Expansion e = expand(kStudy);
  {
    Store a(path("a.sqlite"), Store::Mode::write), b(path("b.sqlite"), Store::Mode::write);
    a.begin_study(e, "tool");
    b.begin_study(e, "tool");
    a.put(row_of(e.points()[0], "failed"), "tool");
    b.put(row_of(e.points()[0]), "tool");
    b.put(row_of(e.points()[1]), "tool");
  }
  Store a(path("a.sqlite"), Store::Mode::write);
  a.merge_from(path("b.sqlite"));
  const result::Table t = a.points("small");
  for (const auto& row : t.rows) {
    EXPECT_EQ(row[column_index(t, "status", {})], Cell(std::string("ok")));
    EXPECT_EQ(row[column_index(t, "energy_matrix_J", {})], Cell(0.25));
  }
}

TEST_F(Results, OfTwoStudiesOfOneNameDoNotMerge) {
  Store a(path("a.sqlite"), Store::Mode::write);
  a.begin_study(expand(kStudy), "tool");
  {
    Store b(path("b.sqlite"), Store::Mode::write);
    b.begin_study(expand("axes: {grid: {matrix.engines: [2, 16]}}\n"), "tool");
  }
  EXPECT_THAT(failure([&] { a.merge_from(path("b.sqlite")); }),
              HasSubstr("its study 'small' has other points"));
}

TEST_F(Results, OfANewerVersionAreLeftAlone) {
  { Store(path("r.sqlite"), Store::Mode::write).begin_study(expand(kStudy), "tool"); }
  SQLite::Database(path("r.sqlite"), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 7");
  const std::string expected =
      "r.sqlite: results of a newer version of the tool (format 7); this one reads up to 1";
  EXPECT_THAT(failure([&] { Store(path("r.sqlite"), Store::Mode::write); }), HasSubstr(expected));
  EXPECT_THAT(failure([&] { Store(path("r.sqlite"), Store::Mode::read); }), HasSubstr(expected));
}

TEST_F(Results, AreNotWrittenIntoSomethingElse) {
  write("text.sqlite", std::string(5000, 'x'));
  EXPECT_THAT(failure([&] { Store(path("text.sqlite"), Store::Mode::write); }),
              HasSubstr("this is not a results file"));
  SQLite::Database(path("other.sqlite"), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
      .exec("CREATE TABLE t (x)");
  EXPECT_THAT(failure([&] { Store(path("other.sqlite"), Store::Mode::write); }),
              HasSubstr("this is a database of something else"));
  EXPECT_EQ(SQLite::Database(path("other.sqlite")).execAndGet("SELECT count(*) FROM sqlite_master").getInt(),
            1);
}

TEST_F(Results, ThatAreLockedAreReportedAfterAWait) {
  const Expansion e = expand(kStudy);
  { Store(path("r.sqlite"), Store::Mode::write).begin_study(e, "tool"); }
  SQLite::Database other(path("r.sqlite"), SQLite::OPEN_READWRITE);
  other.exec("BEGIN IMMEDIATE");
  EXPECT_THAT(failure([&] { Store(path("r.sqlite"), Store::Mode::write); }),
              HasSubstr("another process has held the results locked"));
  other.exec("ROLLBACK");
  EXPECT_EQ(Store(path("r.sqlite"), Store::Mode::read).points("small").rows.size(), 2u);
}

TEST_F(Results, ThatCannotBeCreatedAreReported) {
  EXPECT_THAT(failure([&] { Store(path("no/such/folder/r.sqlite"), Store::Mode::write); }),
              HasSubstr("cannot open this file"));
  EXPECT_THAT(failure([&] { Store("/proc/r.sqlite", Store::Mode::write); }),
              HasSubstr("cannot open this file"));
  EXPECT_THAT(failure([&] { Store(path("none.sqlite"), Store::Mode::read); }),
              HasSubstr("there is no such results file"));
}

}  // namespace
}  // namespace edgenpu::study
