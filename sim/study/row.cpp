#include "study/row.h"

#include <cstring>

#include "base/error.h"

namespace edgenpu::study {

using result::Cell;

namespace {

class Writer {
 public:
  template <class Number>
  void number(Number n) {
    bytes_.append(reinterpret_cast<const char*>(&n), sizeof n);
  }
  void text(const std::string& s) {
    number(static_cast<std::int64_t>(s.size()));
    bytes_ += s;
  }
  void cell(const Cell& c) {
    number(static_cast<std::int64_t>(c.index()));
    if (const auto* whole = std::get_if<std::int64_t>(&c)) number(*whole);
    if (const auto* real = std::get_if<double>(&c)) number(*real);
    if (const auto* s = std::get_if<std::string>(&c)) text(*s);
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(const std::string& bytes) : bytes_(bytes) {}
  template <class Number>
  Number number() {
    Number n{};
    std::memcpy(&n, take(sizeof n), sizeof n);
    return n;
  }
  std::size_t size() { return static_cast<std::size_t>(number<std::int64_t>()); }
  std::string text() {
    const std::size_t n = size();
    return std::string(take(n), n);
  }
  Cell cell() {
    switch (number<std::int64_t>()) {
      case 1:
        return number<std::int64_t>();
      case 2:
        return number<double>();
      case 3:
        return text();
      default:
        return {};
    }
  }

 private:
  const char* take(std::size_t n) {
    if (n > bytes_.size() - at_) throw InternalError("a point's result is truncated");
    const char* p = bytes_.data() + at_;
    at_ += n;
    return p;
  }
  const std::string& bytes_;
  std::size_t at_ = 0;
};

}  // namespace

std::string to_bytes(const Row& row) {
  Writer w;
  w.number(row.number);
  for (const std::string* s : {&row.id, &row.status, &row.message, &row.hardware, &row.config,
                               &row.hardware_hash, &row.trace_hash, &row.power_scope})
    w.text(*s);
  w.number(static_cast<std::int64_t>(row.outputs.size()));
  for (const Cell& c : row.outputs) w.cell(c);
  w.number(static_cast<std::int64_t>(row.energy_J.size()));
  for (const auto& [component, joules] : row.energy_J) {
    w.text(component);
    w.number(joules);
  }
  w.number(row.cpu_s);
  w.number(row.wall_s);
  w.number(row.peak_rss_B);
  return w.take();
}

Row row_from_bytes(const std::string& bytes) {
  Reader r(bytes);
  Row row;
  row.number = r.number<std::int64_t>();
  for (std::string* s : {&row.id, &row.status, &row.message, &row.hardware, &row.config, &row.hardware_hash,
                         &row.trace_hash, &row.power_scope})
    *s = r.text();
  for (std::size_t n = r.size(); n > 0; --n) row.outputs.push_back(r.cell());
  for (std::size_t n = r.size(); n > 0; --n) {
    std::string component = r.text();
    const double joules = r.number<double>();
    row.energy_J.emplace_back(std::move(component), joules);
  }
  row.cpu_s = r.number<double>();
  row.wall_s = r.number<double>();
  row.peak_rss_B = r.number<std::int64_t>();
  return row;
}

}  // namespace edgenpu::study
