#include "report/output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <unistd.h>

#include "base/error.h"

namespace edgenpu::report {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw InputError(Position{path}, "cannot write here: " + reason);
}

bool write_all(std::FILE* file, const std::string& text) {
  return std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
}

void write_file(const std::string& name, const std::string& text, const std::string& path) {
  std::FILE* file = std::fopen(name.c_str(), "wb");
  if (!file) fail(path, std::strerror(errno));
  const bool written = write_all(file, text);
  const int error = errno;
  if (std::fclose(file) != 0 || !written) fail(path, std::strerror(written ? errno : error));
}

}  // namespace

void check_output(const std::string& path) {
  if (path == "-") return;
  if (path.empty()) fail("an empty path", "a file is needed, or - for standard output");
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) fail(path, "it is a directory");
  if (fs::exists(status) && !fs::is_regular_file(status)) return;  // a device: writing will tell
  const fs::path target = fs::exists(status) ? fs::canonical(path) : fs::path(path);
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, error)) fail(path, "there is no folder " + folder.string());
  if (::access(folder.c_str(), W_OK) != 0) fail(path, std::strerror(errno));
}

void write_output(const std::string& path, const std::string& text) {
  if (path == "-") {
    if (!write_all(stdout, text)) fail("standard output", std::strerror(errno));
    return;
  }
  check_output(path);
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) return write_file(path, text, path);
  // A link keeps pointing where it did.
  const std::string target = fs::exists(status) ? fs::canonical(path).string() : path;
  const std::string temporary = target + ".tmp" + std::to_string(::getpid());
  try {
    write_file(temporary, text, path);
    fs::rename(temporary, target);
  } catch (const fs::filesystem_error& e) {
    fs::remove(temporary, error);
    fail(path, e.code().message());
  } catch (...) {
    fs::remove(temporary, error);
    throw;
  }
}

}  // namespace edgenpu::report
