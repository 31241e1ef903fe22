#include "hardware/sanitizer_stack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdexcept>
#include <systemc>

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

}  // namespace
}  // namespace edgenpu::hardware
