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
