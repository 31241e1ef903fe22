#include "config/write.h"

#include "config/value.h"

namespace edgenpu::config {

namespace {

// Plain where YAML takes it as one piece of text wherever it stands, else in double quotes.
std::string scalar(const Value& value) {
  const std::string& t = value.text();
  const std::string letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  const bool plain = !value.quoted() && !t.empty() && letters.find(t[0]) != std::string::npos &&
                     t.back() != ' ' && t.find_first_not_of(letters + " ._+-/%^") == std::string::npos;
  if (plain) return t;
  std::string quoted = "\"";
  for (const char c : t) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c == '\n' ? "\\n" : std::string(1, c);
  }
  return quoted + "\"";
}

}  // namespace

std::string to_yaml(const Value& value) {
  if (value.is_scalar()) return scalar(value);
  std::string text;
  for (const Value& item : value.items()) text += (text.empty() ? "" : ", ") + to_yaml(item);
  for (const Value::Entry& e : value.entries())
    if (e.key != "source" && e.key != "note")
      text += (text.empty() ? "" : ", ") + scalar(Value::scalar(e.key, {})) + ": " + to_yaml(e.value);
  if (value.is_list()) return "[" + text + "]";
  return value.is_map() ? "{" + text + "}" : "~";
}

}  // namespace edgenpu::config
