// The keys of one section of a config.json, and who has read them. A reader asks for keys by name; finish()
// refuses every key that nobody asked for, that is not known to leave bytes and work as they are, and that has
// a value other than JSON's null: a file is read as a whole or not at all.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <set>
#include <string>
#include <vector>

#include "config/reader.h"

namespace edgenpu::workload {

// Whether a key leaves bytes and work as they are, whatever its value.
bool changes_nothing(const std::string& key);
// Whether a key of a file around a language model is of its other parts.
bool of_towers(const std::string& key);

class ConfigKeys {
 public:
  // `what` names the section in messages.
  ConfigKeys(const config::Value& map, std::string what, Diagnostics& out);

  // There and not null, which stands for the default.
  bool has(const std::string& key);
  bool names(const std::string& key) const { return map_.find(key) != nullptr; }  // perhaps as null
  std::int64_t count(const std::string& key, std::int64_t high, std::int64_t fallback = 0);
  std::int64_t counted(const std::string& key, std::int64_t high);  // 0 is a number too
  bool flag(const std::string& key, bool fallback);
  double real(const std::string& key, double fallback);
  std::string text(const std::string& key, const std::string& fallback);
  std::vector<std::int64_t> counts(const std::string& key);  //of a list
  std::vector<std::string> texts(const std::string& key);
  const config::Value* section(const std::string& key);

  // The first of these names that is there; "" if none is.
  std::string first(std::initializer_list<const char*> names);
  // Read, and refused at another value than these: what the key would change is not modelled.
  void neutral(const std::string& key, std::initializer_list<const char*> values, const std::string& why);
  void ignore(const std::string& key) { known_.insert(key); }

  void error(const std::string& key, const std::string& message) { reader_.error(key, message); }
  void finish();

 private:
  std::int64_t number(const std::string& key, std::int64_t low, std::int64_t high);

  const config::Value& map_;
  std::string what_;
  Diagnostics& out_;
  config::MapReader reader_;
  std::set<std::string> known_;
};

}  // namespace edgenpu::workload
