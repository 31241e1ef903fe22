// Runs the built tool as a user would and keeps what it says.
#pragma once

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/wait.h>

namespace edgenpu::test {

struct Output {
  int exit_code = -1;
  std::string text;  // standard output, then nothing else
  std::string errors;
};

inline std::string slurp(std::FILE* pipe) {
  std::string text;
  std::array<char, 4096> buffer{};
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe))
    text.append(buffer.data(), n);
  return text;
}

// `arguments` as on a shell's command line, run in the source folder.
inline Output edgenpu(const std::string& arguments) {
  const std::string base =
      std::string("cd ") + EDGENPU_SOURCE_DIR + " && " + EDGENPU_BINARY + " " + arguments;
  Output out;
  std::FILE* pipe = ::popen((base + " 2>/dev/null").c_str(), "r");
  out.text = slurp(pipe);
  out.exit_code = WEXITSTATUS(::pclose(pipe));
  pipe = ::popen((base + " 2>&1 >/dev/null").c_str(), "r");
  out.errors = slurp(pipe);
  ::pclose(pipe);
  return out;
}

}  // namespace edgenpu::test
