// Errors by whose fault they are, which decides the exit code:
//   InputError       2  the user's input is wrong; holds every finding, each with its position
//   InfeasibleError  3  the input is valid but cannot be built or does not fit; says which bytes
//   InternalError    1  ours
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace edgenpu {

// Where a piece of input came from. line and column count from 1; line 0 means that the source has no lines
// (a command-line option).
struct Position {
  std::string source;
  int line = 0;
  int column = 0;
};

// "file:line:column", or just the source when there are no lines.
std::string to_string(const Position& position);

struct Diagnostic {
  Position position;
  std::string message;
};

class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<Diagnostic> diagnostics);
  InputError(Position position, std::string message);

  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

class InfeasibleError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// Collects findings so that all errors of a file are reported in one go.
class Diagnostics {
 public:
  void add(Position position, std::string message);
  bool empty() const { return list_.empty(); }
  // Throws InputError with everything found so far, if anything was.
  void throw_if_any() const;

 private:
  std::vector<Diagnostic> list_;
};

}  // namespace edgenpu
