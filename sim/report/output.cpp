#include "report/output.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <map>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/text.h"

namespace edgenpu::report {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw InputError(Position{path}, "cannot write here: " + reason);
}

bool write_all(std::FILE* file, const std::string& text) {
  return std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
}

void write_and_close(std::FILE* file, const std::string& text, const std::string& path) {
  const bool written = write_all(file, text);
  const int error = errno;
  if (std::fclose(file) != 0 || !written) fail(path, std::strerror(written ? errno : error));
}

// Time for the partner of a named pipe to open its end.
constexpr int kPartner_ms = 1000, kStep_ms = 20;

// Pipes and devices by name, opened once and early: a reader that has come must not see an end before the text,
// and where none comes, that shows before the simulation.
std::map<std::string, int>& opened() {
  static std::map<std::string, int> all;
  return all;
}

void open_directly(const std::string& path) {
  if (opened().count(path) != 0) return;
  int fd = -1;
  for (int waited = 0; fd < 0; waited += kStep_ms) {
    fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 && (errno != ENXIO || waited >= kPartner_ms))
      fail(path, errno == ENXIO ? "nobody reads this pipe" : std::strerror(errno));
    if (fd < 0) ::usleep(kStep_ms * 1000);
  }
  ::fcntl(fd, F_SETFL, O_WRONLY);
  opened()[path] = fd;
}

void write_directly(const std::string& path, const std::string& text) {
  open_directly(path);
  std::FILE* file = ::fdopen(opened()[path], "wb");
  opened().erase(path);
  if (!file) fail(path, std::strerror(errno));
  write_and_close(file, text, path);
}

struct Target {
  std::string path;    // a link keeps pointing where it did
  std::string folder;  // in which it lies
  mode_t mode = 0;     // of the file that is there; 0: none
};

Target target_of(const std::string& path) {
  Target t{path, ".", 0};
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    char* const real = ::realpath(path.c_str(), nullptr);
    if (!real) fail(path, std::strerror(errno));
    t.path = real;
    std::free(real);
    t.mode = status.st_mode & 0777;
  } else if (struct stat link{}; ::lstat(path.c_str(), &link) == 0) {
    fail(path, "this link points to nothing");
  }
  const std::size_t slash = t.path.rfind('/');
  if (slash != std::string::npos) t.folder = slash == 0 ? "/" : t.path.substr(0, slash);
  return t;
}

// A file of its own name in the target's folder; removed unless it takes the target's name.
class Temporary {
 public:
  explicit Temporary(const Target& target, const std::string& path)
      : name_(target.folder + "/.edgenpu-XXXXXX"), path_(path) {
    fd_ = ::mkostemp(name_.data(), O_CLOEXEC);
    if (fd_ < 0) fail(path, std::strerror(errno));
    const mode_t mask = ::umask(0);
    ::umask(mask);
    ::fchmod(fd_, target.mode != 0 ? target.mode : 0666 & ~mask);
  }
  ~Temporary() {
    if (fd_ >= 0) ::close(fd_);
    if (!renamed_) ::unlink(name_.c_str());
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  void write(const std::string& text) {
    std::FILE* file = ::fdopen(fd_, "wb");
    if (!file) fail(path_, std::strerror(errno));
    fd_ = -1;
    write_and_close(file, text, path_);
  }
  void rename_to(const std::string& target) {
    if (::rename(name_.c_str(), target.c_str()) != 0) fail(path_, std::strerror(errno));
    renamed_ = true;
  }

 private:
  std::string name_, path_;
  int fd_ = -1;
  bool renamed_ = false;
};

}  // namespace

void check_output(const std::string& path) {
  if (path == "-") return;
  if (path.empty()) fail("an empty path", "a file is needed, or - for standard output");
  switch (kind_of(path)) {
    case PathKind::folder:
      fail(path, "it is a directory");
    case PathKind::other:
      open_directly(path);
      return;  // writing will tell
    case PathKind::file:
      if (::access(path.c_str(), W_OK) != 0) fail(path, std::strerror(errno));
      break;
    case PathKind::absent:
      if (path.back() == '/') fail(path, "a directory's name is no file's");
  }
  const Target target = target_of(path);
  if (kind_of(target.folder, Position{path}) != PathKind::folder)
    fail(path, "there is no folder " + target.folder);
  const Temporary probe(target, path);
}

void write_output(const std::string& path, const std::string& text) {
  if (path == "-") {
    std::cout.flush();
    if (!write_all(stdout, text)) fail("standard output", std::strerror(errno));
    return;
  }
  check_output(path);
  refuse_input(path);
  if (opened().count(path) != 0) return write_directly(path, text);
  const Target target = target_of(path);
  Temporary file(target, path);
  file.write(text);
  file.rename_to(target.path);
}

void print(const std::string& text) {
  std::cout << visible(text);
}

void finish_standard_output() {
  errno = 0;
  std::cout.flush();
  const bool flushed = std::fflush(stdout) == 0;
  const int error = errno;
  if (flushed && std::ferror(stdout) == 0 && std::cout.good()) return;
  fail("standard output", error != 0 ? std::strerror(error) : "an earlier part of the text was lost");
}

}  // namespace edgenpu::report
