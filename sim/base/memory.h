// What there is of memory, for the message when there is no more.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"

namespace edgenpu {

// "out of memory: 512 MiB are in use, and this process is limited to 1024 MiB of address space (ulimit -v)".
// Allocates little, but does allocate: call it where the stack has been unwound.
std::string out_of_memory();

// Bytes that this process may have: its limit of address space, or what the machine has.
std::int64_t available_memory();

// What is asked for needs more memory than there is: known before it is begun. Nothing that the simulated machine
// lacks, so studies count it as a failure.
class TooLargeToSimulate : public InfeasibleError {
 public:
  // `what` needs at least `bytes`.
  TooLargeToSimulate(const std::string& what, std::int64_t bytes);
};

}  // namespace edgenpu
