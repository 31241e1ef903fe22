#include "base/memory.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <sys/resource.h>
#include <unistd.h>

namespace edgenpu {

namespace {

// Of address space; the largest number if there is none.
std::int64_t limit_of_process() {
  rlimit limit{};
  constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur > static_cast<rlim_t>(kNone)) return kNone;
  return static_cast<std::int64_t>(limit.rlim_cur);
}

std::int64_t memory_of_machine() {
  return std::int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE);
}

std::string what_there_is() {
  if (limit_of_process() <= memory_of_machine())
    return fmt::format("this process is limited to {} MiB of address space (ulimit -v)",
                       limit_of_process() >> 20);
  return fmt::format("this machine has {} MiB", memory_of_machine() >> 20);
}

}  // namespace

std::int64_t available_memory() {
  return std::min(limit_of_process(), memory_of_machine());
}

TooLargeToSimulate::TooLargeToSimulate(const std::string& what, std::int64_t bytes)
    : InfeasibleError(
          fmt::format("{} needs at least {} MiB of memory; {}", what, bytes >> 20, what_there_is())) {}

std::string out_of_memory() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return fmt::format("out of memory: {} MiB were in use; {}", usage.ru_maxrss >> 10, what_there_is());
}

}  // namespace edgenpu
