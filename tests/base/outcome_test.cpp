#include "base/outcome.h"

#include <gtest/gtest.h>
#include <new>
#include <stdexcept>

#include "base/error.h"

namespace edgenpu {
namespace {

TEST(Outcome, IsWhatTheWorkReturns) {
  const Outcome<int> o = attempt([] { return 3; });
  ASSERT_TRUE(o);
  EXPECT_EQ(*o, 3);
  EXPECT_EQ(o.value(), 3);
  EXPECT_EQ(o.reason(), "");
}

template <class E>
WhyNot why(E e) {
  return attempt([&]() -> int { throw e; }).why();
}

TEST(Outcome, TellsTheKindsOfErrorsApart) {
  EXPECT_EQ(why(InfeasibleError("too large")).kind, Failure::infeasible);
  EXPECT_EQ(why(InputError(Position{"f", 1, 2}, "bad")).kind, Failure::refused);
  EXPECT_EQ(why(InternalError("x")).kind, Failure::ours);
  EXPECT_EQ(why(std::out_of_range("x")).kind, Failure::ours);
  EXPECT_EQ(why(std::bad_alloc()).kind, Failure::out_of_memory);
  EXPECT_EQ(why(std::runtime_error("a process threw std::bad_alloc")).kind, Failure::out_of_memory);
}

TEST(Outcome, ThrowsTheErrorAgainThatItStandsFor) {
  const auto thrown = [](Failure kind) { Outcome<int>(WhyNot{kind, "f:1:2: why"}).value(); };
  EXPECT_THROW(thrown(Failure::infeasible), InfeasibleError);
  EXPECT_THROW(thrown(Failure::out_of_memory), InfeasibleError);
  EXPECT_THROW(thrown(Failure::timed_out), InternalError);
  EXPECT_THROW(thrown(Failure::lost), InternalError);
  EXPECT_THROW(thrown(Failure::ours), InternalError);
  try {
    thrown(Failure::refused);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "f:1:2: why");
  }
}

TEST(Outcome, SaysOfWhatDoesNotFitThatItIsInfeasible) {
  EXPECT_EQ(Outcome<int>(WhyNot{Failure::infeasible, "no room"}).reason(), "infeasible: no room");
  EXPECT_EQ(Outcome<int>(WhyNot{Failure::lost, "died"}).reason(), "died");
}

TEST(Outcome, KindsOfFailuresHaveNamesOfTheirOwn) {
  for (const Failure kind : {Failure::infeasible, Failure::refused, Failure::out_of_memory,
                             Failure::timed_out, Failure::lost, Failure::ours})
    EXPECT_EQ(failure_by_name(name_of(kind)), kind);
  EXPECT_FALSE(failure_by_name("none"));
}

}  // namespace
}  // namespace edgenpu
