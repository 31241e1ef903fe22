#include "base/memory.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

namespace edgenpu {

std::string out_of_memory() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  std::string text = fmt::format("out of memory: {} MiB were in use", usage.ru_maxrss >> 10);
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    return text + fmt::format("; this process is limited to {} MiB of address space (ulimit -v)",
                              limit.rlim_cur >> 20);
  const long pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
  return text + fmt::format("; this machine has {} MiB", (static_cast<long long>(pages) * page) >> 20);
}

}  // namespace edgenpu
