#include "config/value.h"

#include <algorithm>
#include <optional>

#include "base/suggest.h"
#include "config/units.h"

namespace edgenpu::config {

namespace {

// What `text` measures if it can be held against `number`.
std::optional<double> comparable(const Value* text, const Measure& number) {
  std::string why;
  const auto m = text && text->is_scalar() ? parse_measure(text->text(), why) : std::nullopt;
  if (!m || m->bare != number.bare || !(m->dimension == number.dimension)) return {};
  return m->value;
}

// Another value for a number with a range. Outside of it, neither range nor citation are of this number.
void replace_number(Value& form, Value value) {
  std::string why;
  if (const auto m = parse_measure(value.text(), why)) {
    const auto low = comparable(form.find("low"), *m), high = comparable(form.find("high"), *m);
    if ((low && m->value < *low) || (high && *high < m->value)) {
      for (const char* key : {"low", "high", "confidence"}) form.erase(key);
      form.set("source", Value::scalar("given in place of a number with a range", value.position()));
    }
  }
  form.set("value", std::move(value));
}

}  // namespace

Value::Value() = default;
Value::Value(const Value&) = default;
Value::Value(Value&&) noexcept = default;
Value& Value::operator=(const Value&) = default;
Value& Value::operator=(Value&&) noexcept = default;
Value::~Value() = default;

Value Value::scalar(std::string text, Position position) {
  Value v;
  v.kind_ = Kind::scalar;
  v.text_ = std::move(text);
  v.position_ = std::move(position);
  return v;
}

Value Value::empty_map(Position position) {
  Value v;
  v.kind_ = Kind::map;
  v.position_ = std::move(position);
  return v;
}

Value Value::empty_list(Position position) {
  Value v;
  v.kind_ = Kind::list;
  v.position_ = std::move(position);
  return v;
}

const Value* Value::find(const std::string& key) const {
  for (const Entry& e : entries_)
    if (e.key == key) return &e.value;
  return nullptr;
}

Value* Value::find(const std::string& key) {
  return const_cast<Value*>(static_cast<const Value*>(this)->find(key));
}

void Value::set(const std::string& key, Value value) {
  if (Value* old = find(key)) {
    *old = std::move(value);
    return;
  }
  Position position = value.position();
  entries_.push_back({key, std::move(position), std::move(value)});
}

void Value::set_at(const std::string& key, Position key_position, Value value) {
  entries_.push_back({key, std::move(key_position), std::move(value)});
}

void Value::erase(const std::string& key) {
  entries_.erase(
      std::remove_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.key == key; }),
      entries_.end());
}

std::string describe(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::map:
      return "a map";
    case Value::Kind::list:
      return "a list";
    case Value::Kind::scalar:
      return "'" + value.text() + "'";
    case Value::Kind::null:
      break;
  }
  return "nothing";
}

Value merge(const Value& base, const Value& over) {
  Value merged = base;
  // A plain number over one with a range keeps range and source, as set_path does.
  if (base.is_map() && over.is_scalar() && base.find("value")) {
    replace_number(merged, over);
    return merged;
  }
  if (!base.is_map() || !over.is_map()) return over;
  for (const Value::Entry& e : over.entries()) {
    const Value* old = base.find(e.key);
    merged.set(e.key, old ? merge(*old, e.value) : e.value);
  }
  return merged;
}

std::string canonical_text(const Value& value) {
  std::string text;
  if (value.is_scalar()) return value.text();
  if (value.is_list()) {
    for (const Value& item : value.items()) text += canonical_text(item) + ",";
    return "[" + text + "]";
  }
  std::vector<std::string> parts;
  for (const Value::Entry& e : value.entries())
    if (e.key != "source" && e.key != "note") parts.push_back(e.key + ":" + canonical_text(e.value) + ";");
  std::sort(parts.begin(), parts.end());
  for (const std::string& part : parts) text += part;
  return "{" + text + "}";
}

void apply_override(Value& root, const std::string& assignment) {
  const std::string source = "--set " + assignment;
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0)
    throw InputError(Position{source}, "expected path=value, for example memory.channels=4");
  Value parsed = parse_text(assignment.substr(equals + 1), source);
  if (parsed.is_null()) throw InputError(Position{source}, "no value after '='");
  if (parsed.is_scalar()) parsed = Value::scalar(parsed.text(), Position{source});  // an option has no lines
  set_path(root, assignment.substr(0, equals), std::move(parsed));
}

void set_path(Value& root, const std::string& path, Value value) {
  const Position where = value.position();
  Value* node = &root;
  std::size_t start = 0;
  for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', start)) {
    const std::string key = path.substr(start, dot - start);
    if (!node->find(key)) node->set(key, Value::empty_map(where));
    node = node->find(key);
    if (!node->is_map()) throw InputError(where, "'" + path.substr(0, dot) + "' is not a section");
    start = dot + 1;
  }
  const std::string key = path.substr(start);
  if (key.empty()) throw InputError(where, "the path '" + path + "' ends in a dot");
  // A number with a range ({value:, low:, high:, source:}) keeps its range and source while it lies within.
  Value* old = node->find(key);
  if (old && old->is_map() && old->find("value") && value.is_scalar()) {
    replace_number(*old, std::move(value));
  } else {
    node->set(key, std::move(value));
  }
}

const Value* find_path(const Value& root, const std::string& path) {
  const Value* node = &root;
  for (std::size_t start = 0; node && start <= path.size();) {
    const std::size_t dot = std::min(path.find('.', start), path.size());
    node = node->find(path.substr(start, dot - start));
    start = dot + 1;
  }
  const Value* number = node ? node->find("value") : nullptr;
  return number ? number : node;
}

}  // namespace edgenpu::config
