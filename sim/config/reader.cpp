#include "config/reader.h"

#include <charconv>
#include <cmath>
#include <fmt/format.h>

#include "base/suggest.h"

namespace edgenpu::config {

std::string source_of(const Value& map, const std::string& key) {
  const Value* value = map.find(key);
  if (value && value->is_map()) {
    const Value* own = value->find("source");
    return own && own->is_scalar() ? own->text() : "";
  }
  const Value* source = map.find("source");
  if (!source) return "";
  if (source->is_scalar()) return source->text();
  const Value* entry = source->is_map() ? source->find(key) : nullptr;
  return entry && entry->is_scalar() ? entry->text() : "";
}

MapReader::MapReader(const Value& map, Diagnostics& out, std::string what, Provenance provenance)
    : map_(map), out_(out), what_(std::move(what)), provenance_(provenance) {
  if (!map.is_map())
    out_.add(map.position(), fmt::format("{} must be a map, found {}", what_, describe(map)));
}

const Value* MapReader::find(const std::string& key, bool required, const std::string& expected) {
  known_.insert(key);
  const Value* value = map_.find(key);
  if (!value && required && map_.is_map())
    out_.add(map_.position(), fmt::format("{} lacks the key '{}': {} is needed", what_, key, expected));
  return value;
}

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
  if (r.low > r.value || r.high < r.value) error(key, "the value must lie between low and high");
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

std::string MapReader::text(const std::string& key, std::optional<std::string> fallback) {
  const Value* value = find(key, !fallback, "text");
  if (!value) return fallback.value_or("");
  if (value->is_scalar()) return value->text();
  out_.add(value->position(), fmt::format("'{}' must be text, found {}", key, describe(*value)));
  return fallback.value_or("");
}

bool MapReader::boolean(const std::string& key, std::optional<bool> fallback) {
  const Value* value = find(key, !fallback, "true or false");
  if (!value) return fallback.value_or(false);
  if (value->is_scalar() && value->text() == "true") return true;
  if (value->is_scalar() && value->text() == "false") return false;
  out_.add(value->position(), fmt::format("'{}' must be true or false, found {}", key, describe(*value)));
  return fallback.value_or(false);
}

std::size_t MapReader::choice(const std::string& key, const std::vector<std::string>& names,
                              std::optional<std::size_t> fallback) {
  const Value* value = find(key, !fallback, "one of " + join(names));
  if (!value) return fallback.value_or(0);
  if (value->is_scalar())
    for (std::size_t i = 0; i < names.size(); ++i)
      if (value->text() == names[i]) return i;
  const std::string hint = value->is_scalar() ? did_you_mean(value->text(), names) : "";
  out_.add(value->position(),
           fmt::format("'{}': found {}; allowed: {}{}", key, describe(*value), join(names), hint));
  return fallback.value_or(0);
}

const Value* MapReader::map(const std::string& key, bool optional) {
  const Value* value = find(key, !optional, "a section");
  if (value && !value->is_map()) {
    out_.add(value->position(),
             fmt::format("'{}' must be a section (a map), found {}", key, describe(*value)));
    return nullptr;
  }
  return value;
}

const Value* MapReader::list(const std::string& key, bool optional) {
  const Value* value = find(key, !optional, "a list");
  if (value && !value->is_list()) {
    out_.add(value->position(), fmt::format("'{}' must be a list, found {}", key, describe(*value)));
    return nullptr;
  }
  return value;
}

void MapReader::error(const std::string& key, const std::string& message) {
  const Value* value = map_.find(key);
  out_.add(value ? value->position() : map_.position(), fmt::format("'{}': {}", key, message));
}

void MapReader::finish_sources() {
  const Value* source = map_.find("source");
  if (!source || !source->is_map()) return;
  for (const Value::Entry& e : source->entries())
    if (!map_.find(e.key))
      out_.add(e.key_position, fmt::format("a source for '{}', which this section does not have", e.key));
}

void MapReader::finish() {
  if (!map_.is_map()) return;
  known_.insert("source");
  const std::vector<std::string> names(known_.begin(), known_.end());
  for (const Value::Entry& e : map_.entries()) {
    if (known_.count(e.key)) continue;
    out_.add(e.key_position, fmt::format("unknown key '{}' in {}; allowed: {}{}", e.key, what_, join(names),
                                         did_you_mean(e.key, names)));
  }
  finish_sources();
}

}  // namespace edgenpu::config
