// Tells the address sanitizer on which stack the program is after SystemC has run.
//
// SystemC announces each switch between the stacks of its processes, but knows no bounds of the main one: after
// the first switch back the sanitizer takes it for empty, does not clean up behind exceptions, and reports
// overflows that are none. To be called after sc_start, in the main context, before anything can throw. Does
// nothing in a build without the sanitizer.
#pragma once

namespace edgenpu::hardware {

void announce_main_stack();

}  // namespace edgenpu::hardware
