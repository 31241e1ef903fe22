// The numbers of a map: units, ranges, bounds, sources.
#include <charconv>
#include <cmath>
#include <fmt/format.h>

#include "config/reader.h"

namespace edgenpu::config {

void MapReader::check_source(const std::string& key, const Value& number) {
  numbers_.insert(key);
  if (provenance_ == Provenance::optional || !source_of(map_, key).empty()) return;
  // An override on the command line is its own source.
  if (number.position().source.rfind("--set ", 0) == 0) return;
  out_.add(number.position(),
           fmt::format("'{}' has no source: name one in 'source' beside it, or write 'assumed: why' or "
                       "'calibrated: how'",
                       key));
}

const Value* MapReader::number(const std::string& key, bool required, const std::string& expected) {
  const Value* value = find(key, required, expected);
  if (!value) return nullptr;
  const Value* scalar = value;
  if (value->is_map()) {
    MapReader form(*value, out_, "'" + key + "'", Provenance::optional);
    scalar = form.find("value", true, expected);
    for (const char* k : {"low", "high", "source", "confidence", "note"}) form.accept(k);
    form.finish();
    if (!scalar) return nullptr;
  }
  if (!scalar->is_scalar()) {
    out_.add(value->position(), fmt::format("'{}' must be {}, found {}", key, expected, describe(*value)));
    return nullptr;
  }
  check_source(key, *scalar);
  return scalar;
}

namespace {

std::string show(double v, const Unit& unit) {
  const Dimension& d = unit.dimension;
  const char* base = d == unit::data.dimension        ? " B"
                     : d == unit::time.dimension      ? " s"
                     : d == unit::frequency.dimension ? " Hz"
                     : d == unit::cycles.dimension    ? " cycles"
                     : d == unit::bandwidth.dimension ? " B/s"
                     : d == unit::energy.dimension    ? " J"
                     : d == unit::power.dimension     ? " W"
                     : d == unit::voltage.dimension   ? " V"
                     : d == unit::length.dimension    ? " m"
                                                      : " in base units";
  return fmt::format("{}{}", v, base);
}

}  // namespace

std::optional<double> MapReader::measure(const Value& scalar, const std::string& key, const Unit& unit,
                                         RealRange range) {
  std::string why;
  const auto m = parse_measure(scalar.text(), why);
  if (!m) {
    out_.add(scalar.position(),
             fmt::format("'{}': {}; {} is needed, for example \"{}\"", key, why, unit.name, unit.example));
    return std::nullopt;
  }
  if (m->bare || !(m->dimension == unit.dimension)) {
    out_.add(scalar.position(),
             fmt::format("'{}': '{}' has {} unit; {} is needed, for example \"{}\"", key, scalar.text(),
                         m->bare ? "no" : "the wrong", unit.name, unit.example));
    return std::nullopt;
  }
  if (m->value < range.low || m->value > range.high) {
    out_.add(scalar.position(), fmt::format("'{}': {} is out of range; allowed: {} to {}", key, scalar.text(),
                                            show(range.low, unit), show(range.high, unit)));
    return std::nullopt;
  }
  return m->value;
}

std::optional<double> MapReader::plain(const Value& scalar, const std::string& key, RealRange range) {
  std::string why;
  const auto m = parse_measure(scalar.text(), why);
  if (!m || !m->bare) {
    out_.add(scalar.position(), fmt::format("'{}' must be a plain number, found '{}'", key, scalar.text()));
    return std::nullopt;
  }
  if (m->value < range.low || m->value > range.high) {
    out_.add(scalar.position(), fmt::format("'{}': {} is out of range; allowed: {} to {}", key, scalar.text(),
                                            range.low, range.high));
    return std::nullopt;
  }
  return m->value;
}

void MapReader::bounds(const std::string& key, const BoundReader& read) {
  const Value* form = map_.find(key);
  if (!form || !form->is_map()) return;
  for (const char* bound : {"low", "high"})
    if (const Value* value = form->find(bound)) read(*value, key + "." + bound);
}

std::int64_t MapReader::integer(const std::string& key, IntRange range,
                                std::optional<std::int64_t> fallback) {
  bounds(key, [&](const Value& v, const std::string& name) {
    plain(v, name, {static_cast<double>(range.low), static_cast<double>(range.high)});
  });
  const Value* scalar = number(key, !fallback, "a whole number");
  const std::int64_t instead = fallback.value_or(range.low);
  if (!scalar) return instead;
  const std::string& t = scalar->text();
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(t.data(), t.data() + t.size(), value);
  if (error != std::errc() || end != t.data() + t.size()) {
    out_.add(scalar->position(), fmt::format("'{}' must be a whole number, found '{}'", key, t));
    return instead;
  }
  if (value < range.low || value > range.high) {
    out_.add(scalar->position(),
             fmt::format("'{}': {} is out of range; allowed: {} to {}", key, value, range.low, range.high));
    return instead;
  }
  return value;
}

double MapReader::real(const std::string& key, RealRange range, std::optional<double> fallback) {
  bounds(key, [&](const Value& v, const std::string& name) { plain(v, name, range); });
  const Value* scalar = number(key, !fallback, "a number");
  const double instead = fallback.value_or(range.low);
  return scalar ? plain(*scalar, key, range).value_or(instead) : instead;
}

double MapReader::quantity(const std::string& key, const Unit& unit, RealRange range,
                           std::optional<double> fallback) {
  bounds(key, [&](const Value& v, const std::string& name) { measure(v, name, unit, range); });
  const Value* scalar = number(key, !fallback, unit.name);
  const double instead = fallback.value_or(range.low);
  return scalar ? measure(*scalar, key, unit, range).value_or(instead) : instead;
}

// What is wrong with the bounds themselves has been said.
Ranged MapReader::with_bounds(const std::string& key, double value) {
  Ranged r;
  r.value = r.low = r.high = value;
  r.source = source_of(map_, key);
  const Value* form = map_.find(key);
  if (!form || !form->is_map()) return r;
  const auto bound = [&](const char* name) {
    const Value* v = form->find(name);
    std::string why;
    const auto m = v ? parse_measure(v->text(), why) : std::nullopt;
    return m ? m->value : value;
  };
  r.low = bound("low");
  r.high = bound("high");
  if (const Value* confidence = form->find("confidence")) r.confidence = confidence->text();
  if (r.low > r.value || r.high < r.value) {
    const auto shown = [&](const char* name) {
      const Value* v = form->find(name);
      return v ? "'" + v->text() + "'" : "not given";
    };
    error(key, fmt::format("the value {} must lie between low ({}) and high ({})", shown("value"),
                           shown("low"), shown("high")));
  }
  return r;
}

Ranged MapReader::ranged(const std::string& key, const Unit& unit, RealRange range,
                         std::optional<double> fallback) {
  return with_bounds(key, quantity(key, unit, range, fallback));
}

Ranged MapReader::ranged_real(const std::string& key, RealRange range, std::optional<double> fallback) {
  return with_bounds(key, real(key, range, fallback));
}

std::int64_t MapReader::whole(const std::string& key, const Unit& unit, IntRange range,
                              std::optional<std::int64_t> fallback) {
  const RealRange wide{static_cast<double>(range.low), static_cast<double>(range.high)};
  bounds(key, [&](const Value& v, const std::string& name) { measure(v, name, unit, wide); });
  const Value* scalar = number(key, !fallback, unit.name);
  const std::int64_t instead = fallback.value_or(range.low);
  const auto value = scalar ? measure(*scalar, key, unit, wide) : std::nullopt;
  if (!value) return instead;
  const double rounded = std::round(*value);
  if (std::abs(*value - rounded) > 1e-9 * std::max(1.0, std::abs(rounded))) {
    out_.add(scalar->position(),
             fmt::format("'{}': {} is not a whole number of base units", key, scalar->text()));
    return instead;
  }
  return static_cast<std::int64_t>(rounded);
}

Bytes MapReader::bytes(const std::string& key, IntRange range, std::optional<Bytes> fallback) {
  return Bytes(whole(key, unit::data, range, fallback ? std::optional(fallback->count()) : std::nullopt));
}

Hertz MapReader::frequency(const std::string& key, IntRange range, std::optional<Hertz> fallback) {
  return Hertz(
      whole(key, unit::frequency, range, fallback ? std::optional(fallback->count()) : std::nullopt));
}

Cycles MapReader::cycles(const std::string& key, IntRange range, std::optional<Cycles> fallback) {
  return Cycles(whole(key, unit::cycles, range, fallback ? std::optional(fallback->count()) : std::nullopt));
}

Femtoseconds MapReader::duration(const std::string& key, RealRange seconds,
                                 std::optional<Femtoseconds> fallback) {
  const auto instead =
      fallback ? std::optional(static_cast<double>(fallback->count()) * 1e-15) : std::nullopt;
  return Femtoseconds(std::llround(quantity(key, unit::time, seconds, instead) * 1e15));
}

}  // namespace edgenpu::config
