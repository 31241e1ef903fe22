// What there is of memory, for the message when there is no more.
#pragma once

#include <string>

namespace edgenpu {

// "out of memory: 512 MiB are in use, and this process is limited to 1024 MiB of address space (ulimit -v)".
// Allocates little, but does allocate: call it where the stack has been unwound.
std::string out_of_memory();

}  // namespace edgenpu
