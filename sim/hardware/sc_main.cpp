// libsystemc brings a main() that calls sc_main(); ours elaborates and starts the kernel itself, so that one
// is never called, but the library does not link without it.
#include <systemc>

int sc_main(int, char**) {
  return 0;
}
