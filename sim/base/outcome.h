// A result, or why there is none: the errors of base/error.h as values, for what is one of many and must not take the
// others with it, and for what comes from another process.
//
// A value that is asked for and is not there throws the error that its reason stands for, so exit codes are the same
// on both ways.
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace edgenpu {

enum class Failure {
  infeasible,     // valid, but cannot be built or does not fit (InfeasibleError)
  refused,        // the input is wrong (InputError)
  out_of_memory,  // of the machine, or of a limit
  timed_out,      // took longer than its limit
  lost,           // its process died, or ended without an answer
  ours            // a failed check, or any other error of the program (InternalError)
};

struct WhyNot {
  Failure kind = Failure::lost;
  std::string text;
};

// "infeasible", "refused", "out_of_memory", "timed_out", "lost", "ours"; in files.
const char* name_of(Failure kind);
std::optional<Failure> failure_by_name(const std::string& name);

// The reason as people read it in tables: "infeasible: ..." says so, the texts of other kinds say it themselves.
std::string to_string(const WhyNot& why);

// The exception that is being handled, as a value: for catch blocks. What is no std::exception goes on.
WhyNot why_not();

// As the exception that it stands for. Positions of an InputError are in its text.
[[noreturn]] void throw_error(const WhyNot& why);

template <class T>
class Outcome {
 public:
  Outcome() = default;  // of what has not run
  Outcome(T value) : value_(std::move(value)) {}
  Outcome(WhyNot why) : why_(std::move(why)) {}

  explicit operator bool() const { return value_.has_value(); }
  // Only of one that is there.
  const T& operator*() const { return *value_; }
  T& operator*() { return *value_; }
  const T* operator->() const { return &*value_; }
  T* operator->() { return &*value_; }
  // Only if there is no value.
  const WhyNot& why() const { return why_; }
  std::string reason() const { return value_ ? "" : to_string(why_); }

  // The value, or the error thrown.
  const T& value() const {
    if (!value_) throw_error(why_);
    return *value_;
  }
  T take() {
    if (!value_) throw_error(why_);
    return std::move(*value_);
  }

 private:
  std::optional<T> value_;
  WhyNot why_;
};

// What `work` returns, or throws.
template <class F>
auto attempt(const F& work) -> Outcome<decltype(work())> {
  try {
    return work();
  } catch (...) {
    return why_not();
  }
}

}  // namespace edgenpu
