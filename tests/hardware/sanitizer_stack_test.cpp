#include "base/sanitizer_stack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdexcept>
#include <systemc>

#include "base/checked.h"
#include "hardware/run_events.h"

namespace edgenpu::hardware {
namespace {

// A process with a stack of its own that never ends.
struct Waits : sc_core::sc_module {
  SC_HAS_PROCESS(Waits);
  explicit Waits(sc_core::sc_module_name name) : sc_module(name) { SC_THREAD(run); }
  void run() {
    wait(5, sc_core::SC_NS);
    ran = true;
    wait(never);
  }
  sc_core::sc_event never;
  bool ran = false;
};

// The sanitizer says on standard error that it ignores an exception on a stack that it does not know.
TEST(SanitizerStack, IsTheMainOneForExceptionsAfterARunWithThreads) {
  testing::internal::CaptureStderr();
  Waits waits("waits");
  sc_core::sc_start();
  announce_main_stack();
  EXPECT_THROW(throw std::runtime_error("no progress"), std::runtime_error);
  EXPECT_TRUE(waits.ran);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::Not(testing::HasSubstr("ASan")));
}

// Counts beyond the end of 64 bits, on the main stack, while a process with a stack of its own waits.
struct Overflows : sc_core::sc_module {
  SC_HAS_PROCESS(Overflows);
  explicit Overflows(sc_core::sc_module_name name) : sc_module(name) {
    SC_METHOD(count);
    dont_initialize();
    sensitive << late;
    late.notify(10, sc_core::SC_NS);
  }
  void count() { sum = checked_add(sum, sum); }
  sc_core::sc_event late;
  std::int64_t sum = INT64_MAX;
};

// Without it the sanitizer ends the program with an overflow of the stack that is none. It says once that it ignores
// the call that does not return, before which it could not be told.
TEST(SanitizerStack, IsTheMainOneForOverflowsInProcessesWithoutAStack) {
  Waits waits("waits");
  Overflows overflows("overflows");
  EXPECT_THROW(run_events(), OverflowError);
  EXPECT_TRUE(waits.ran);
}

}  // namespace
}  // namespace edgenpu::hardware
