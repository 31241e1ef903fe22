// Ranges as lists of values.
#include "sweep/axis.h"

#include <gmock/gmock.h>

namespace edgenpu::sweep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> values(const std::string& form) {
  Diagnostics out;
  std::vector<std::string> texts;
  for (const config::Value& v : axis_values("path", config::parse_text(form, "test"), out))
    texts.push_back(v.text());
  out.throw_if_any();
  return texts;
}

std::string refusal(const std::string& form) {
  try {
    values(form);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(Range, DividesEvenlyWithBothEnds) {
  EXPECT_THAT(values("{from: 1, to: 9, steps: 5}"), ElementsAre("1", "3", "5", "7", "9"));
}

TEST(Range, DividesInEvenRatiosAndKeepsTheUnitOfItsStart) {
  EXPECT_THAT(values("{from: 256 KiB, to: 2 MiB, steps: 4, scale: log}"),
              ElementsAre("256 KiB", "512 KiB", "1024 KiB", "2048 KiB"));
}

TEST(Range, AdvancesByAStep) {
  EXPECT_THAT(values("{from: 0.1, to: 0.4, step: 0.1}"), ElementsAre("0.1", "0.2", "0.3", "0.4"));
  EXPECT_THAT(values("{from: 1 GHz, to: 2 GHz, step: 400 MHz}"), ElementsAre("1 GHz", "1.4 GHz", "1.8 GHz"));
}

TEST(Range, RefusesWhatItCannotMean) {
  EXPECT_THAT(refusal("{from: 1, to: 9}"),
              HasSubstr("test:1:1: 'path': a range needs either 'steps' or 'step'"));
  EXPECT_THAT(refusal("{from: 1, steps: 3}"), HasSubstr("needs 'from' and 'to'"));
  EXPECT_THAT(refusal("{from: 9, to: 1, steps: 3}"), HasSubstr("'to' must be above 'from'"));
  EXPECT_THAT(refusal("{from: 0, to: 1, steps: 3, scale: log}"), HasSubstr("must start above 0"));
  EXPECT_THAT(refusal("{from: 1 GHz, to: 2, steps: 3}"),
              HasSubstr("'to' must be a number in a unit like GHz"));
  EXPECT_THAT(refusal("{from: 1, to: 9, steps: 3, by: 2}"), HasSubstr("unknown key 'by'"));
  EXPECT_THAT(refusal("8"), HasSubstr("needs a list of values or a range"));
  EXPECT_THAT(refusal("[]"), HasSubstr("the list of values is empty"));
}

TEST(Random, IsSplitMix64) {
  Random random(1234567);  // first outputs of the reference implementation for this seed
  EXPECT_EQ(random.next(), 6457827717110365317u);
  EXPECT_EQ(random.next(), 3203168211198807973u);
}

}  // namespace
}  // namespace edgenpu::sweep
