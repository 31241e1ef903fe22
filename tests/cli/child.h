// The built tool as a child process without a shell: as an ordinary user, with limits, killed, or with its standard
// output elsewhere.
#pragma once

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace edgenpu::test {

struct Ended {
  int exit_code = -1;  // -1: by a signal
  int signal = 0;
  std::string errors;
};

class Child {
 public:
  // `prepare` runs in the child before the tool; standard output goes to /dev/null unless it says otherwise.
  // After `seconds` the child is killed by SIGALRM: it hangs.
  explicit Child(const std::vector<std::string>& arguments, const std::function<void()>& prepare = {},
                 unsigned seconds = 60) {
    errors_ = std::tmpfile();
    pid_ = ::fork();
    if (pid_ != 0) return;
    if (::chdir(EDGENPU_SOURCE_DIR) != 0) ::_exit(126);
    ::dup2(::open("/dev/null", O_WRONLY), STDOUT_FILENO);
    ::dup2(::fileno(errors_), STDERR_FILENO);
    if (prepare) prepare();
    ::alarm(seconds);
    std::vector<char*> argv = {const_cast<char*>("edgenpu")};
    for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
    argv.push_back(nullptr);
    ::execv(EDGENPU_BINARY, argv.data());
    ::_exit(127);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    std::fclose(errors_);
  }

  pid_t pid() const { return pid_; }

  Ended wait() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    Ended e;
    if (WIFEXITED(status)) e.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) e.signal = WTERMSIG(status);
    std::rewind(errors_);
    char buffer[4096];
    while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, errors_)) e.errors.append(buffer, n);
    return e;
  }

 private:
  pid_t pid_ = -1;
  std::FILE* errors_ = nullptr;
};

// Root may read and write everything; nobody may not. Nothing happens for other users.
inline void become_nobody() {
  constexpr unsigned kNobody = 65534;
  if (::getuid() != 0) return;
  if (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0) ::_exit(125);
}

}  // namespace edgenpu::test
