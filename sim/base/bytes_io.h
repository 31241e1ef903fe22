// Values as bytes, for what a worker process hands to its parent on the same machine: 64- and 128-bit
// integers and doubles as they lie in memory, texts with their length in front. Errors: InternalError at a truncated end.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "base/checked.h"
#include "base/error.h"

namespace edgenpu {

class ByteWriter {
 public:
  void number(std::int64_t n) { append(&n, sizeof n); }
  void wide(Wide n) { append(&n, sizeof n); }
  void real(double x) { append(&x, sizeof x); }
  void numbers(const std::vector<std::int64_t>& n) { append(n.data(), n.size() * sizeof n[0]); }
  void text(const std::string& s) {
    number(static_cast<std::int64_t>(s.size()));
    bytes_ += s;
  }
  std::string take() { return std::move(bytes_); }

 private:
  void append(const void* from, std::size_t n) { bytes_.append(static_cast<const char*>(from), n); }
  std::string bytes_;
};

class ByteReader {
 public:
  // `bytes` must outlive it; `what` they are is for the error.
  ByteReader(const std::string& bytes, const char* what) : bytes_(bytes), what_(what) {}
  std::int64_t number() { return value<std::int64_t>(); }
  Wide wide() { return value<Wide>(); }
  double real() { return value<double>(); }
  std::size_t size() { return static_cast<std::size_t>(number()); }
  std::vector<std::int64_t> numbers(std::size_t n) {
    std::vector<std::int64_t> values(n);
    if (n > 0) std::memcpy(values.data(), take(n * sizeof values[0]), n * sizeof values[0]);
    return values;
  }
  std::string text() {
    const std::size_t n = size();
    return std::string(take(n), n);
  }

 private:
  template <class T>
  T value() {
    T v{};
    std::memcpy(&v, take(sizeof v), sizeof v);
    return v;
  }
  const char* take(std::size_t n) {
    if (n > bytes_.size() - at_) throw InternalError(std::string(what_) + " is truncated");
    const char* p = bytes_.data() + at_;
    at_ += n;
    return p;
  }
  const std::string& bytes_;
  const char* what_;
  std::size_t at_ = 0;
};

}  // namespace edgenpu
