#include "base/files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <set>
#include <unistd.h>
#include <utility>

namespace edgenpu {

namespace {

using Identity = std::pair<dev_t, ino_t>;

// Time for the partner of a named pipe to open its end.
constexpr int kPartner_ms = 1000;

struct Claim {
  Identity file;
  std::string option;
};

std::vector<Claim>& claims() {
  static std::vector<Claim> all;
  return all;
}

std::set<Identity>& inputs() {
  static std::set<Identity> all;
  return all;
}

std::set<Identity>& pipes() {
  static std::set<Identity> all;
  return all;
}

Identity identity(const struct stat& status) {
  return {status.st_dev, status.st_ino};
}

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
  throw InputError(Position{path}, "cannot read this file: " + reason);
}

// What is written to a pipe may come late, and its writer, too.
void wait_for_text(int fd, bool begun, const std::string& path) {
  pollfd polled{fd, POLLIN, 0};
  const int ready = ::poll(&polled, 1, begun ? -1 : kPartner_ms);
  if (ready == 0) refuse(path, "it is a pipe that nobody writes to");
}

std::string read_all(int fd, bool waits, std::int64_t most, const std::string& path) {
  std::string text;
  std::vector<char> buffer(std::size_t{1} << 16);
  bool begun = false;
  while (true) {
    if (waits) wait_for_text(fd, begun, path);
    begun = true;
    const ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n < 0) refuse(path, std::strerror(errno));
    if (n == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(n));
    if (static_cast<std::int64_t>(text.size()) > most)
      refuse(path, "it is longer than " + std::to_string(most) + " bytes");
  }
}

// The folder of a path and the name in it.
std::pair<std::string, std::string> split(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {".", path};
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

}  // namespace

PathKind kind_of(const std::string& path, const Position& where) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return PathKind::absent;
    const std::string reason = std::strerror(errno);
    throw InputError(where, (where.source == path ? "" : path + ": ") + reason);
  }
  if (S_ISDIR(status.st_mode)) return PathKind::folder;
  return S_ISREG(status.st_mode) ? PathKind::file : PathKind::other;
}

PathKind kind_of(const std::string& path) {
  return kind_of(path, Position{path});
}

std::vector<std::string> yaml_names(const std::string& folder) {
  const std::string end = ".yaml";
  std::vector<std::string> names;
  DIR* const entries = ::opendir(folder.c_str());
  if (!entries) return names;
  while (const dirent* entry = ::readdir(entries)) {
    const std::string name = entry->d_name;
    if (name.size() > end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0)
      names.push_back(name.substr(0, name.size() - end.size()));
  }
  ::closedir(entries);
  std::sort(names.begin(), names.end());
  return names;
}

bool same_file(const std::string& a, const std::string& b) {
  struct stat first {
  }, second{};
  const bool there = ::stat(a.c_str(), &first) == 0;
  if (there != (::stat(b.c_str(), &second) == 0)) return false;
  if (there) return identity(first) == identity(second);
  const auto [folder_a, name_a] = split(a);
  const auto [folder_b, name_b] = split(b);
  if (name_a != name_b) return false;
  return ::stat(folder_a.c_str(), &first) == 0 && ::stat(folder_b.c_str(), &second) == 0 &&
         identity(first) == identity(second);
}

std::string read_text(const std::string& path, std::int64_t most) {
  // O_NONBLOCK: opening a named pipe must not wait for its writer.
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
  struct stat status {};
  if (file.fd < 0 || ::fstat(file.fd, &status) != 0) refuse(path, std::strerror(errno));
  if (S_ISDIR(status.st_mode)) refuse(path, std::strerror(EISDIR));
  const bool waits = S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode) || ::isatty(file.fd) != 0;
  if (!waits && !S_ISREG(status.st_mode)) refuse(path, "it is a device");
  note_input(status, path);
  if (waits && !pipes().insert(identity(status)).second)
    refuse(path, "it is a pipe and was read before; a file can be read again");
  if (S_ISREG(status.st_mode) && status.st_size > most)
    refuse(path, "it is longer than " + std::to_string(most) + " bytes");
  std::string text = read_all(file.fd, waits, most, path);
  if (text.empty()) throw InputError(Position{path}, "this file is empty");
  return text;
}

void claim_output(const std::string& path, const std::string& option) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode))
    claims().push_back({identity(status), option});
}

void note_input(const struct stat& status, const std::string& path) {
  if (!S_ISREG(status.st_mode)) return;
  for (const Claim& c : claims())
    if (c.file == identity(status))
      throw InputError(Position{path},
                       "is an input and would be overwritten by " + c.option + "; name another file there");
  inputs().insert(identity(status));
}

void note_file(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) refuse(path, std::strerror(errno));
  if (S_ISDIR(status.st_mode)) refuse(path, std::strerror(EISDIR));
  if (!S_ISREG(status.st_mode)) refuse(path, "it is a pipe or a device, which cannot be read again");
  note_input(status, path);
}

void refuse_input(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && inputs().count(identity(status)) != 0)
    throw InputError(Position{path}, "is an input and would be overwritten");
}

}  // namespace edgenpu
