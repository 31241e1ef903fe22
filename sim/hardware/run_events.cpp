#include "hardware/run_events.h"

#include <exception>
#include <systemc>

#include "base/sanitizer_stack.h"

namespace edgenpu::hardware {

namespace {

std::exception_ptr thrown;

// Called while SystemC handles the exception that it turns into `report`.
void keep(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
  if (report.get_severity() >= sc_core::SC_ERROR && std::current_exception())
    thrown = std::current_exception();
  sc_core::sc_report_handler::default_handler(report, actions);
}

}  // namespace

void run_events() {
  thrown = nullptr;
  sc_core::sc_report_handler::set_handler(keep);
  try {
    sc_core::sc_start();
  } catch (const sc_core::sc_report&) {
    announce_main_stack();
    if (thrown) std::rethrow_exception(thrown);
    throw;
  }
  announce_main_stack();
}

}  // namespace edgenpu::hardware
