// What llama-bench wrote, in each of its forms.
#include "evidence/bench_rows.h"

#include <gmock/gmock.h>

#include "sweep/study_fixture.h"

namespace edgenpu::evidence {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using BenchRows = test::StudyFolder;

const std::string kData = std::string(EDGENPU_SOURCE_DIR) + "/tests/data/llama-bench/bench.";

// Booleans are words in JSON and digits elsewhere; single samples are in JSON only.
std::string text_of_row(const config::Value& row) {
  std::string text;
  for (const config::Value::Entry& e : row.entries()) {
    if (!e.value.is_scalar()) continue;
    std::string value = e.value.text();
    if (value == "false") value = "0";
    if (e.key == "avg_ts" || e.key == "stddev_ts") value = std::to_string(std::stod(value));
    text += e.key + "=" + value + "\n";
  }
  return text;
}

std::string refusal_of(const std::string& file) {
  try {
    read_bench_rows(file);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST_F(BenchRows, AreTheSameInEveryForm) {
  const auto json = read_bench_rows(kData + "json");
  ASSERT_EQ(json.size(), 4u);
  for (const char* form : {"jsonl", "csv", "sql"}) {
    const auto rows = read_bench_rows(kData + form);
    ASSERT_EQ(rows.size(), 4u) << form;
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(text_of_row(rows[i]), text_of_row(json[i])) << form;
  }
}

TEST_F(BenchRows, OfATableHaveTheFieldsThatItShows) {
  const auto rows = read_bench_rows(kData + "md");
  ASSERT_EQ(rows.size(), 4u);
  const auto field = [&](std::size_t i, const char* key) { return rows[i].find(key)->text(); };
  EXPECT_EQ(field(2, "n_prompt"), "64");
  EXPECT_EQ(field(2, "n_depth"), "256");
  EXPECT_EQ(field(3, "n_prompt") + field(3, "n_gen"), "1616");
  EXPECT_EQ(field(1, "avg_ts"), "78.25");
  EXPECT_EQ(field(0, "model_n_params"), "134520000");
  EXPECT_EQ(field(0, "model_size"), "143004795");
  EXPECT_EQ(field(0, "backends"), "CPU");
  EXPECT_EQ(rows[0].find("n_threads")->position().line, 3);
}

// Back ends write to the same terminal.
TEST_F(BenchRows, StandBehindAndBeforeLinesOfLogs) {
  for (const char* form : {"json", "jsonl", "csv", "md", "sql"}) {
    std::ifstream file(kData + form);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    const auto rows = read_bench_rows(
        write("b", "\xef\xbb\xbf[1] ggml_cuda_init: found 1 device:\n  Device 0: x, 2\n" + text));
    ASSERT_EQ(rows.size(), 4u) << form;
    EXPECT_EQ(rows[0].position().line, read_bench_rows(kData + form)[0].position().line + 2) << form;
  }
  EXPECT_EQ(read_bench_rows(write("b", "log\n[{\"a\": 1}]\nlog [x]\n")).size(), 1u);
  EXPECT_EQ(read_bench_rows(write("b", "{\"a\": 1}\nlog\r\n{\"a\": 2}\r\n")).size(), 2u);
}

TEST_F(BenchRows, MayBeNone) {
  EXPECT_THAT(read_bench_rows(write("b", "[]\n")), IsEmpty());
  EXPECT_THAT(read_bench_rows(write("b", "[\n\n]\n")), IsEmpty());
}

TEST_F(BenchRows, ThatAreDamagedAreRefusedWhereTheyStand) {
  EXPECT_THAT(refusal_of(write("b", "[\n {\"a\": 1,\n")), HasSubstr("b:"));
  EXPECT_THAT(refusal_of(write("b", "log\n{\"a\": 1}\n{\"a\": \n")), HasSubstr("b:3:"));
  EXPECT_THAT(refusal_of(write("b", "n_gen,avg_ts\n\"1\",\"2\"\n\"1\"\n")),
              HasSubstr("b:3:1: 1 cells; the header has 2"));
  EXPECT_THAT(refusal_of(write("b", "n_gen,avg_ts\n\"1\",\"2\n")), HasSubstr("b:2:5: this quote has no end"));
  EXPECT_THAT(refusal_of(write("b", "| test | t/s |\n|--|--|\n| xx5 | 3 |\n")),
              HasSubstr("b:3:2: the test 'xx5'"));
  EXPECT_THAT(refusal_of(write("b", "CREATE TABLE test (a INTEGER);\nINSERT INTO test (b) VALUES (1);\n")),
              HasSubstr("b:2:"));
  EXPECT_THAT(refusal_of(write("b", "hello\n")), HasSubstr("b:1:1: no output of llama-bench"));
  EXPECT_THAT(refusal_of(write("b", "")), HasSubstr("empty"));
  EXPECT_THAT(refusal_of(write("b", "\xff\xfe[")), HasSubstr("UTF-16"));
  EXPECT_THAT(refusal_of(path("none")), HasSubstr("cannot read this file"));
}

TEST_F(BenchRows, InSqlCannotDoAnythingElse) {
  const std::string table = "CREATE TABLE test (a INTEGER);\n";
  for (const std::string& more :
       {"ATTACH DATABASE '" + path("x") + "' AS x;", std::string("PRAGMA writable_schema=1;"),
        std::string("INSERT INTO test SELECT a FROM test;"),
        std::string("INSERT INTO test VALUES (randomblob(9));"),
        std::string("CREATE TRIGGER t AFTER INSERT ON test BEGIN SELECT 1; END;"),
        std::string("DROP TABLE test;")})
    EXPECT_THAT(refusal_of(write("b", table + more)), HasSubstr("b:2:")) << more;
  EXPECT_FALSE(std::filesystem::exists(path("x")));
  EXPECT_EQ(read_bench_rows(write("b", table + "INSERT INTO test VALUES (1), (2);")).size(), 2u);
}

}  // namespace
}  // namespace edgenpu::evidence
