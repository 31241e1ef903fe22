// Files of published measurements: what is read, what is refused, what is only noted.
#include "evidence/measurements.h"

#include <gmock/gmock.h>

#include "sweep/study_fixture.h"

namespace edgenpu::evidence {
namespace {

using ::testing::HasSubstr;
using ReadMeasurements = test::StudyFolder;

std::string error_of(const std::string& file) {
  try {
    read_measurements(file);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST_F(ReadMeasurements, ReadsTheShippedFile) {
  const Measurements m =
      read_measurements(std::string(EDGENPU_SOURCE_DIR) + "/hw_configs/published/measurements.yaml");
  EXPECT_EQ(m.rows.size(), 199u);
  EXPECT_EQ(m.rows[0].id, "nv-orig-llama-31-8b");
  EXPECT_EQ(m.rows[0].device_class, "gpu");
  EXPECT_DOUBLE_EQ(*m.rows[0].decode_tok_s, 14);
  EXPECT_FALSE(m.rows[0].prompt);
  EXPECT_DOUBLE_EQ(*m.rows[0].peak_GBps, 68);
}

TEST_F(ReadMeasurements, TakesNullAsMissing) {
  const Measurements m = read_measurements(write(
      "m.yaml", "- {id: a, device: d, model: m, decode_tok_s: 3.5, ttft_ms: null, memory: {type: null}}\n"));
  EXPECT_FALSE(m.rows[0].ttft_ms);
}

TEST_F(ReadMeasurements, ReportsEveryErrorOfAFileWithItsPosition) {
  const std::string what = error_of(write("m.yaml",
                                          "- {id: a, device: d, model: m, decode_tok_s: fast}\n"
                                          "- {id: b, device: d, decode_tok_s: 3}\n"
                                          "- {id: c, device: d, model: m, decode_tok_s: -1}\n"
                                          "- {id: c, device: d, model: m, device_class: tpu, ttft_ms: 5}\n"
                                          "- {id: e, device: d, model: m}\n"
                                          "- {id: f, device: d, model: m, decode_tok_ss: 4}\n"));
  EXPECT_THAT(what, HasSubstr("m.yaml:1:"));
  EXPECT_THAT(what, HasSubstr("'decode_tok_s' must be a plain number, found 'fast'"));
  EXPECT_THAT(what, HasSubstr("m.yaml:2:"));
  EXPECT_THAT(what, HasSubstr("m.yaml:3:"));
  EXPECT_THAT(what, HasSubstr("the id 'c' is used before"));
  EXPECT_THAT(what, HasSubstr("tpu"));
  EXPECT_THAT(what, HasSubstr("the measurement 'e' has no figure"));
  EXPECT_THAT(what, HasSubstr("did you mean 'decode_tok_s'?"));
}

TEST_F(ReadMeasurements, RefusesWhatIsNoListOfRows) {
  EXPECT_THAT(error_of(write("m.yaml", "rows: 3\n")), HasSubstr("a measurements file is a list of rows"));
  EXPECT_THAT(error_of(write("m.yaml", "- 3\n")), HasSubstr("m.yaml:1:3: a measurement is a map"));
  EXPECT_NE(error_of(path("none.yaml")), "");
}

TEST_F(ReadMeasurements, NotesKeysOfOtherNames) {
  const Measurements m =
      read_measurements(write("m.yaml", "- {id: a, device: d, model: m, decode_tok_s: 3, held_out: true}\n"));
  ASSERT_EQ(m.notes.size(), 1u);
  EXPECT_THAT(m.notes[0], HasSubstr("'held_out' (1 rows)"));
}

}  // namespace
}  // namespace edgenpu::evidence
