// The results file: what goes in comes out, and what can be wrong with it.
#include "sweep/store.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>

#include "sweep/metrics.h"
#include "sweep/query.h"
#include "sweep/study_fixture.h"

namespace edgenpu::sweep {
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
  row.notes = "a | b";
  const Row back = row_from_bytes(to_bytes(row));
  EXPECT_EQ(back.outputs, row.outputs);
  EXPECT_EQ(back.energy_J, row.energy_J);
  EXPECT_EQ(back.status, "failed");
  EXPECT_EQ(back.peak_rss_B, 99);
  EXPECT_EQ(back.notes, "a | b");
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
      "r.sqlite: results of a newer version of the tool (format 7); this one reads formats 2 and 3 and "
      "writes 3";
  EXPECT_THAT(failure([&] { Store(path("r.sqlite"), Store::Mode::write); }), HasSubstr(expected));
  EXPECT_THAT(failure([&] { Store(path("r.sqlite"), Store::Mode::read); }), HasSubstr(expected));
}

TEST_F(Results, OfAnOlderVersionAreRefusedToo) {
  { Store(path("r.sqlite"), Store::Mode::write).begin_study(expand(kStudy), "tool"); }
  SQLite::Database(path("r.sqlite"), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 1");
  EXPECT_THAT(failure([&] { Store(path("r.sqlite"), Store::Mode::read); }),
              HasSubstr("results of an older version of the tool (format 1)"));
}

// What a file of format 2 looked like: the same tables, and no notes.
void make_old(const std::string& file) {
  SQLite::Database db(file, SQLite::OPEN_READWRITE);
  db.exec("ALTER TABLE points DROP COLUMN notes");
  db.exec("PRAGMA user_version = 2");
}

std::string told(const result::Table& t) {
  std::string text;
  for (const std::string& line : row_notes(t)) text += line + "\n";
  return text;
}

TEST_F(Results, KeepTheNotesOfEachRowAndCountThem) {
  const Expansion e = expand(kStudy);
  Store store(path("r.sqlite"), Store::Mode::write);
  store.begin_study(e, "tool");
  Row first = row_of(e.points()[0]), second = row_of(e.points()[1]);
  first.notes = "prices of another part | a stand-in";
  second.notes = "a stand-in";
  store.put(first, "tool");
  store.put(second, "tool");
  const result::Table t = store.points("small");
  EXPECT_EQ(t.rows[0][column_index(t, "notes", {})], Cell(first.notes));
  EXPECT_EQ(told(t), "2 of 2 points: a stand-in\n1 of 2 points: prices of another part\n");
}

TEST_F(Results, ThatKeptNoNotesAreReadAndSaySo) {
  const Expansion e = expand(kStudy);
  Row row = row_of(e.points()[0]);
  row.power_scope = "soc+dram";
  {
    Store store(path("r.sqlite"), Store::Mode::write);
    store.begin_study(e, "tool");
    store.put(row, "tool");
  }
  make_old(path("r.sqlite"));
  const result::Table t = Store(path("r.sqlite"), Store::Mode::read).points("small");
  EXPECT_EQ(t.rows[0][column_index(t, "tokens_per_s", {})], Cell(12.5));
  EXPECT_EQ(t.rows[0][column_index(t, "notes", {})], Cell());
  EXPECT_EQ(told(t), "of 1 of 2 points no notes are known: an older version of the tool ran them\n");
}

TEST_F(Results, ThatKeptNoNotesKeepThemFromTheNextRowOn) {
  const Expansion e = expand(kStudy);
  {
    Store store(path("r.sqlite"), Store::Mode::write);
    store.begin_study(e, "tool");
    store.put(row_of(e.points()[0]), "tool");
  }
  make_old(path("r.sqlite"));
  Row row = row_of(e.points()[1]);
  row.notes = "new";
  Store store(path("r.sqlite"), Store::Mode::write);
  store.put(row, "tool");
  const result::Table t = store.points("small");
  EXPECT_EQ(t.rows[0][column_index(t, "tokens_per_s", {})], Cell(12.5));
  EXPECT_EQ(t.rows[1][column_index(t, "notes", {})], Cell(row.notes));
}

TEST_F(Results, WithAndWithoutNotesMergeEitherWay) {
  const Expansion e = expand(kStudy);
  for (const char* old : {"a.sqlite", "b.sqlite"}) {
    for (const int i : {0, 1}) {
      const std::string file = path(i ? "b.sqlite" : "a.sqlite");
      std::filesystem::remove(file);
      Store store(file, Store::Mode::write);
      store.begin_study(e, "tool");
      Row row = row_of(e.points()[i]);
      row.notes = "n";
      store.put(row, "tool");
    }
    make_old(path(old));
    Store store(path("a.sqlite"), Store::Mode::write);
    store.merge_from(path("b.sqlite"));
    const result::Table t = store.points("small");
    for (const int i : {0, 1}) {
      const bool known = path(i ? "b.sqlite" : "a.sqlite") != path(old);
      EXPECT_EQ(t.rows[i][column_index(t, "notes", {})], known ? Cell(std::string("n")) : Cell()) << old << i;
      EXPECT_EQ(t.rows[i][column_index(t, "config", {})], Cell(std::string("{clock: 1 GHz}"))) << old << i;
    }
  }
}

TEST_F(Results, OfTwoStudiesOfOneNameAreNotMixed) {
  Store store(path("r.sqlite"), Store::Mode::write);
  const Expansion first = expand(kStudy);
  store.begin_study(first, "tool");
  store.begin_study(expand(kStudy), "tool");  // the same
  const Expansion other = expand(kStudy + "constraints: [power_W < 1]\n");
  EXPECT_THAT(failure([&] { store.begin_study(other, "tool"); }),
              HasSubstr("has a study 'small' with other points"));
  EXPECT_TRUE(store.lists(first));
  store.begin_study(other, "tool", true);
  EXPECT_FALSE(store.lists(first));
}

TEST_F(Results, GiveTheVerdictOfTheStudyAsItReadsNow) {
  Store store(path("r.sqlite"), Store::Mode::write);
  const auto statuses = [&](const std::string& constraints) {
    const Expansion e = expand(kStudy + constraints);
    store.begin_study(e, "tool", true);
    for (const Point& p : e.points()) store.put(row_of(p), "tool");
    const result::Table t = store.points("small");
    std::string text;
    for (const auto& row : t.rows)
      text += result::to_text(row[column_index(t, "status", {})]) + ": " +
              result::to_text(row[column_index(t, "message", {})]) + "\n";
    return text;
  };
  EXPECT_EQ(statuses(""), "ok: \nok: \n");
  EXPECT_EQ(statuses("constraints: [tokens_per_s < 12]\n"),
            "infeasible: breaks the constraint tokens_per_s < 12\ninfeasible: breaks the constraint "
            "tokens_per_s < 12\n");
  EXPECT_EQ(statuses("constraints: [matrix_engines < 4 and clock_Hz > 1]\n"),
            "ok: \ninfeasible: breaks the constraint matrix_engines < 4 and clock_Hz > 1\n");
  EXPECT_EQ(statuses("constraints: [ttft_ms < 10]\n"),
            "ok: neither meets nor breaks ttft_ms < 10 (no ttft_ms)\nok: neither meets nor breaks ttft_ms < "
            "10 (no ttft_ms)\n");
  EXPECT_EQ(statuses(""), "ok: \nok: \n");
}

TEST_F(Results, OfAnotherStudyWithTheSamePointsGetTheVerdictsOfEach) {
  Store store(path("r.sqlite"), Store::Mode::write);
  const Expansion e = expand(kStudy + "constraints: [tokens_per_s < 12]\n");
  store.begin_study(e, "tool");
  Study other = e.study();
  other.name = "other";
  other.constraints.clear();
  const Expansion f(other, EDGENPU_SOURCE_DIR, "test");
  store.begin_study(f, "tool");
  store.put(row_of(f.points()[0]), "tool");  // after the first study ended
  const auto status = [&](const char* study) {
    const result::Table t = store.points(study);
    return result::to_text(t.rows[0][column_index(t, "status", {})]);
  };
  EXPECT_EQ(status("small"), "infeasible");
  EXPECT_EQ(status("other"), "ok");
}

TEST_F(Results, AreReadAsTheyAreNowThoughTheReaderCameFirst) {
  const Expansion e = expand(kStudy);
  { Store(path("r.sqlite"), Store::Mode::write).begin_study(e, "tool"); }
  const Store reader(path("r.sqlite"), Store::Mode::read);
  Store writer(path("r.sqlite"), Store::Mode::write);
  writer.put(row_of(e.points()[0]), "tool");
  const result::Table t = reader.points("small");
  EXPECT_EQ(t.rows[0][column_index(t, "status", {})], Cell(std::string("ok")));
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
}  // namespace edgenpu::sweep
