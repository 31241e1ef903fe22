// A YAML document as a tree that remembers where each piece stood. The tree is what every reader, override
// and sweep works on; yaml-cpp itself is not seen outside this room.
//
// Beyond YAML: duplicate keys are an error, and so is anything but maps, lists and scalars.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"

namespace edgenpu::config {

class Value {
 public:
  enum class Kind { null, scalar, list, map };
  struct Entry;

  // In value.cpp: nearly every source has a tree somewhere, and need not compile what becomes of it.
  Value();
  Value(const Value&);
  Value(Value&&) noexcept;
  Value& operator=(const Value&);
  Value& operator=(Value&&) noexcept;
  ~Value();
  static Value scalar(std::string text, Position position);
  static Value empty_map(Position position);
  static Value empty_list(Position position);

  Kind kind() const { return kind_; }
  bool is_map() const { return kind_ == Kind::map; }
  bool is_list() const { return kind_ == Kind::list; }
  bool is_scalar() const { return kind_ == Kind::scalar; }
  bool is_null() const { return kind_ == Kind::null; }
  // Written in quotes: a quoted "8" is text for the JSON echo of the inputs, though readers take it as a
  // number.
  bool quoted() const { return quoted_; }

  const std::string& text() const { return text_; }
  const std::vector<Value>& items() const { return items_; }
  const std::vector<Entry>& entries() const { return entries_; }
  const Position& position() const { return position_; }

  const Value* find(const std::string& key) const;
  Value* find(const std::string& key);
  // Replaces or appends.
  void set(const std::string& key, Value value);
  // Appends a key that is not there yet, with its own position.
  void set_at(const std::string& key, Position key_position, Value value);
  void erase(const std::string& key);
  void push_back(Value value) { items_.push_back(std::move(value)); }
  void mark_quoted() { quoted_ = true; }

 private:
  Kind kind_ = Kind::null;
  bool quoted_ = false;
  std::string text_;
  std::vector<Value> items_;
  std::vector<Entry> entries_;
  Position position_;
};

struct Value::Entry {
  std::string key;
  Position key_position;
  Value value;
};

// "a map", "a list", "'text'", "nothing": for messages.
std::string describe(const Value& value);

// Throws InputError: unreadable file, malformed YAML, duplicate keys (all of them at once).
Value parse_file(const std::string& path);
Value parse_text(const std::string& text, const std::string& source_name);

// Lays `over` on `base`: maps merge key by key, everything else is replaced; a plain number over one with a
// range ({value:, low:, high:, source:}) replaces its value, and drops the range where it lies outside of it.
Value merge(const Value& base, const Value& over);

// The content without positions and order of keys: equal texts mean equal configurations. Sources are left
// out, since they do not change what is simulated.
std::string canonical_text(const Value& value);

// "memory.channels=4" as it comes from --set: the path is created where it does not exist, so that the schema
// reader can judge the key. The text after '=' is YAML.
void apply_override(Value& root, const std::string& assignment);
// The same with the two sides apart. `value` says in messages where the assignment stands.
void set_path(Value& root, const std::string& path, Value value);

// The value at a dotted path; the number itself where it has a range ({value:, low:, ...}). nullptr if there is
// none.
const Value* find_path(const Value& root, const std::string& path);

}  // namespace edgenpu::config
