// The only file that sees yaml-cpp.
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include "config/value.h"

namespace edgenpu::config {

namespace {

Position position_of(const YAML::Mark& mark, const std::string& source) {
  return mark.is_null() ? Position{source, 1, 1} : Position{source, mark.line + 1, mark.column + 1};
}

// Guards against documents nested so deeply that recursion would overflow the stack.
constexpr int kMaxDepth = 64;

Value convert(const YAML::Node& node, const std::string& source, Diagnostics& out, int depth) {
  const Position position = position_of(node.Mark(), source);
  if (depth > kMaxDepth) throw InputError(position, "nested more than 64 levels deep");
  if (node.IsNull() || !node.IsDefined()) return Value();
  if (node.IsScalar()) {
    Value v = Value::scalar(node.Scalar(), position);
    if (node.Tag() == "!") v.mark_quoted();
    return v;
  }
  if (node.IsSequence()) {
    Value list = Value::empty_list(position);
    for (const YAML::Node& item : node) {
      Value value = convert(item, source, out, depth + 1);
      list.push_back(value.is_null() ? Value::scalar("", position_of(item.Mark(), source))
                                     : std::move(value));
    }
    return list;
  }
  Value map = Value::empty_map(position);
  for (const auto& pair : node) {
    const Position key_position = position_of(pair.first.Mark(), source);
    if (!pair.first.IsScalar()) {
      out.add(key_position, "a key must be plain text");
      continue;
    }
    const std::string key = pair.first.Scalar();
    if (map.find(key)) {
      out.add(key_position, "duplicate key '" + key + "'; a key is allowed once in a map");
      continue;
    }
    Value value = convert(pair.second, source, out, depth + 1);
    if (value.is_null()) value = Value::scalar("", key_position);
    map.set_at(key, key_position, std::move(value));
  }
  return map;
}

// Only where a document begins.
struct Ignore : YAML::EventHandler {
  YAML::Mark begin;
  void OnDocumentStart(const YAML::Mark& mark) override { begin = mark; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
  }
  void OnMapEnd() override {}
};

// Not by LoadAll(): it never ends where the parser makes no progress behind the first document.
void refuse_second_document(const std::string& text, const std::string& source_name) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  Ignore events;
  if (parser.HandleNextDocument(events) && parser.HandleNextDocument(events))
    throw InputError(position_of(events.begin, source_name),
                     "a second document starts here; a file holds one");
}

}  // namespace

Value parse_text(const std::string& text, const std::string& source_name) {
  try {
    Diagnostics out;
    Value value = convert(YAML::Load(text), source_name, out, 0);
    refuse_second_document(text, source_name);
    out.throw_if_any();
    return value;
  } catch (const YAML::Exception& e) {
    throw InputError(position_of(e.mark, source_name), "not valid YAML: " + e.msg);
  }
}

Value parse_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  if (file && file.peek() == std::ifstream::traits_type::eof() && !std::filesystem::is_directory(path))
    throw InputError(Position{path}, "this file is empty");
  if (!file || !(text << file.rdbuf())) {
    const std::error_code reason = std::filesystem::is_directory(path)
                                       ? std::make_error_code(std::errc::is_a_directory)
                                       : std::error_code(errno, std::generic_category());
    throw InputError(Position{path}, "cannot read this file: " + reason.message());
  }
  return parse_text(text.str(), path);
}

}  // namespace edgenpu::config
