// Tells the address sanitizer that the program is on its main stack.
//
// SystemC announces each switch between the stacks of its processes, but knows no bounds of the main one: after
// the first switch back the sanitizer takes it for empty, does not clean up behind exceptions, and reports
// overflows that are none. To be called on the main stack before something is thrown there: after sc_start, and
// by what throws inside of processes, of which those without a stack of their own (SC_METHOD) run on the main
// one. Does nothing on any other stack, and in a build without the sanitizer.
#pragma once

namespace edgenpu {

void announce_main_stack();

}  // namespace edgenpu
