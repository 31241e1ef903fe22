#include "sweep/row.h"

#include "base/bytes_io.h"

namespace edgenpu::sweep {

using result::Cell;

namespace {

void write(ByteWriter& w, const Cell& c) {
  w.number(static_cast<std::int64_t>(c.index()));
  if (const auto* whole = std::get_if<std::int64_t>(&c)) w.number(*whole);
  if (const auto* real = std::get_if<double>(&c)) w.real(*real);
  if (const auto* s = std::get_if<std::string>(&c)) w.text(*s);
}

Cell read_cell(ByteReader& r) {
  switch (r.number()) {
    case 1:
      return r.number();
    case 2:
      return r.real();
    case 3:
      return r.text();
    default:
      return {};
  }
}

}  // namespace

std::string to_bytes(const Row& row) {
  ByteWriter w;
  w.number(row.number);
  for (const std::string* s : {&row.id, &row.status, &row.message, &row.hardware, &row.config,
                               &row.hardware_hash, &row.trace_hash, &row.power_scope, &row.notes})
    w.text(*s);
  w.number(static_cast<std::int64_t>(row.outputs.size()));
  for (const Cell& c : row.outputs) write(w, c);
  w.number(static_cast<std::int64_t>(row.energy_J.size()));
  for (const auto& [component, joules] : row.energy_J) {
    w.text(component);
    w.real(joules);
  }
  w.real(row.cpu_s);
  w.real(row.wall_s);
  w.number(row.peak_rss_B);
  return w.take();
}

Row row_from_bytes(const std::string& bytes) {
  ByteReader r(bytes, "a point's result");
  Row row;
  row.number = r.number();
  for (std::string* s : {&row.id, &row.status, &row.message, &row.hardware, &row.config, &row.hardware_hash,
                         &row.trace_hash, &row.power_scope, &row.notes})
    *s = r.text();
  for (std::size_t n = r.size(); n > 0; --n) row.outputs.push_back(read_cell(r));
  for (std::size_t n = r.size(); n > 0; --n) {
    std::string component = r.text();
    const double joules = r.real();
    row.energy_J.emplace_back(std::move(component), joules);
  }
  row.cpu_s = r.real();
  row.wall_s = r.real();
  row.peak_rss_B = r.number();
  return row;
}

}  // namespace edgenpu::sweep
