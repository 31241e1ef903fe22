#include "workload/config_keys.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include "base/suggest.h"

namespace edgenpu::workload {
namespace {

using config::Value;

// JSON's null means that the default holds.
bool nothing(const Value& v) {
  return v.is_null() || (v.is_scalar() && !v.quoted() && (v.text().empty() || v.text() == "null"));
}

bool whole(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

ConfigKeys::ConfigKeys(const Value& map, std::string what, Diagnostics& out)
    : map_(map), what_(std::move(what)), out_(out), reader_(map, out, what_, config::Provenance::optional) {}

bool ConfigKeys::has(const std::string& key) {
  known_.insert(key);
  const Value* v = map_.find(key);
  return v && !nothing(*v);
}

std::int64_t ConfigKeys::count(const std::string& key, std::int64_t high, std::int64_t fallback) {
  if (!has(key) && fallback > 0) return fallback;
  return number(key, 1, high);
}

std::int64_t ConfigKeys::counted(const std::string& key, std::int64_t high) {
  return has(key) ? number(key, 0, high) : 0;
}

// One number, or the same one for each layer.
std::int64_t ConfigKeys::number(const std::string& key, std::int64_t low, std::int64_t high) {
  const Value* v = map_.find(key);
  if (!v || !v->is_list()) return reader_.integer(key, {low, high});
  const std::vector<std::int64_t> all = counts(key);
  if (all.empty()) return low;
  for (const std::int64_t n : all)
    if (n != all.front() || n < low || n > high) {
      reader_.error(key, "numbers that differ from layer to layer, or are out of range, are not modelled");
      break;
    }
  return std::clamp(all.front(), low, high);
}

bool ConfigKeys::flag(const std::string& key, bool fallback) {
  return has(key) ? reader_.boolean(key) : fallback;
}

double ConfigKeys::real(const std::string& key, double fallback) {
  return has(key) ? reader_.real(key, {0, 1e30}) : fallback;
}

std::string ConfigKeys::text(const std::string& key, const std::string& fallback) {
  return has(key) ? reader_.text(key) : fallback;
}

std::vector<std::int64_t> ConfigKeys::counts(const std::string& key) {
  std::vector<std::int64_t> numbers;
  for (const std::string& item : texts(key)) {
    std::int64_t number = -1;
    const auto [end, error] = std::from_chars(item.data(), item.data() + item.size(), number);
    if (error != std::errc() || end != item.data() + item.size() || number < 0) {
      reader_.error(key, fmt::format("'{}' is no whole number of 0 or more", item));
      return {};
    }
    numbers.push_back(number);
  }
  return numbers;
}

std::vector<std::string> ConfigKeys::texts(const std::string& key) {
  std::vector<std::string> words;
  if (!has(key)) return words;
  if (const Value* list = reader_.list(key))
    for (const Value& item : list->items()) words.push_back(item.text());
  return words;
}

const Value* ConfigKeys::section(const std::string& key) {
  return has(key) ? reader_.map(key) : nullptr;
}

std::string ConfigKeys::first(std::initializer_list<const char*> names) {
  std::string found;
  for (const char* name : names) {
    if (!has(name)) continue;
    if (found.empty()) found = name;
    // Two names of one number say the same, or the file contradicts itself.
    const std::string &one = map_.find(found)->text(), &other = map_.find(name)->text();
    if (one != other && whole(one) && whole(other))
      reader_.error(name, fmt::format("{}, and '{}' says {}", other, found, one));
  }
  return found;
}

void ConfigKeys::neutral(const std::string& key, std::initializer_list<const char*> values,
                         const std::string& why) {
  if (!has(key)) return;
  const Value* v = map_.find(key);
  for (const char* value : values)
    if (v->is_scalar() && v->text() == value) return;
  if (!v->is_scalar() && v->items().empty() && v->entries().empty()) return;
  reader_.error(key, fmt::format("{}: {}", config::describe(*v), why));
}

void ConfigKeys::finish() {
  const std::vector<std::string> read(known_.begin(), known_.end());
  for (const Value::Entry& e : map_.entries())
    if (known_.count(e.key) == 0 && !changes_nothing(e.key) && !nothing(e.value))
      out_.add(e.key_position,
               fmt::format("'{}' is not read of {}, and whether it changes bytes or work is not known{}; the "
                           "way on: take the key out if it does not, or describe the shape in a model YAML "
                           "(models/)",
                           e.key, what_, did_you_mean(e.key, read)));
}

}  // namespace edgenpu::workload
