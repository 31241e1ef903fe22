#include <fcntl.h>
#include <unistd.h>

#include "cli/dispatch.h"

namespace {

// A standard stream that is closed would lend its number to the next file that is opened. Opened the wrong way
// round, it fails as a closed one does.
void hold_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(fd, F_GETFD) < 0 && ::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
      ::_exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  hold_standard_streams();
  return edgenpu::cli::dispatch({argv + 1, argv + argc}, argv[0]);
}
