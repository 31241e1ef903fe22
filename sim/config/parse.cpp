// The only file that sees yaml-cpp.
#include <algorithm>
#include <iomanip>
#include <sstream>
#include <unordered_map>
#include <unordered_set>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "base/files.h"
#include "base/text.h"
#include "config/value.h"

namespace edgenpu::config {

namespace {

// Guards of the machine: nesting of the stack, pieces (what an alias names counts each time) of the memory, and
// keys of one map of the time, since readers look keys up one after the other. Our largest file has 14,000 pieces
// and 32 keys in a map; a config.json with the quantisation of each matrix has one key each, 70,272 for the 384
// experts of 61 layers.
constexpr std::size_t kMaxDepth = 64, kMaxPieces = 1'000'000, kMaxKeys = 100'000;

Position position_of(const YAML::Mark& mark, const std::string& source) {
  return mark.is_null() ? Position{source, 1, 1} : Position{source, mark.line + 1, mark.column + 1};
}

std::size_t pieces_of(const Value& value) {
  std::size_t n = 1;
  for (const Value& item : value.items()) n += pieces_of(item);
  for (const Value::Entry& e : value.entries()) n += pieces_of(e.value);
  return n;
}

std::size_t depth_of(const Value& value) {
  std::size_t below = 0;
  for (const Value& item : value.items()) below = std::max(below, depth_of(item));
  for (const Value::Entry& e : value.entries()) below = std::max(below, depth_of(e.value));
  return below + 1;
}

// Puts the tree together from the parser's events. Nothing is kept twice, and every limit is met where it is
// broken.
class Builder : public YAML::EventHandler {
 public:
  Builder(const std::string& source, Diagnostics& out) : source_(source), out_(out) {}

  Value take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1)
      throw InputError(position_of(mark, source_), "a second document starts here; a file holds one");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(anchor, Value(), position_of(mark, source_));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto named = anchors_.find(anchor);
    if (named == anchors_.end())
      throw InputError(position_of(mark, source_), "an alias of what it stands in");
    const Value& value = named->second.value;
    count(position_of(mark, source_), pieces_of(value));
    if (open_.size() + depth_of(value) > kMaxDepth + 1) too_deep(mark);
    put(value, named->second.position);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    Value value = Value::scalar(text, position_of(mark, source_));
    if (tag == "!") value.mark_quoted();
    add(anchor, std::move(value), position_of(mark, source_));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, anchor, Value::empty_list(position_of(mark, source_)));
  }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, anchor, Value::empty_map(position_of(mark, source_)));
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

 private:
  struct Named {
    Value value;
    Position position;  // also of nothing, which has none itself
  };
  // A list or map that has begun; of a map also the key that waits for its value.
  struct Open {
    Value value;
    YAML::anchor_t anchor = 0;
    bool waits = false, skipped = false;
    std::string key;
    Position key_position;
    std::unordered_set<std::string> keys;
  };

  [[noreturn]] void too_deep(const YAML::Mark& mark) const {
    throw InputError(position_of(mark, source_), "nested more than 64 levels deep");
  }

  void count(const Position& position, std::size_t pieces) {
    pieces_ += pieces;
    if (pieces_ > kMaxPieces)
      throw InputError(position, "more than 1000000 values up to here, those that aliases repeat among them");
  }

  // What has an anchor is kept for its aliases: that counts, too.
  void remember(YAML::anchor_t anchor, const Value& value, const Position& position) {
    if (anchor == 0) return;
    count(position, pieces_of(value));
    anchors_[anchor] = {value, position};
  }

  void add(YAML::anchor_t anchor, Value value, const Position& position) {
    count(position, 1);
    remember(anchor, value, position);
    put(std::move(value), position);
  }

  void open(const YAML::Mark& mark, YAML::anchor_t anchor, Value value) {
    count(value.position(), 1);
    if (open_.size() > kMaxDepth) too_deep(mark);
    open_.push_back({std::move(value), anchor, false, false, {}, {}, {}});
  }

  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    const Position position = done.value.position();
    remember(done.anchor, done.value, position);
    put(std::move(done.value), position);
  }

  // Into the list or map that is open. Nothing is an empty text there: a reader says what is missing.
  void put(Value value, const Position& position) {
    if (open_.empty()) {
      root_ = std::move(value);
      return;
    }
    Open& in = open_.back();
    if (in.value.is_list()) {
      in.value.push_back(value.is_null() ? Value::scalar("", position) : std::move(value));
    } else if (!in.waits) {
      put_key(in, value, position);
    } else {
      in.waits = false;
      if (in.skipped) return;
      if (value.is_null()) value = Value::scalar("", in.key_position);
      in.value.set_at(in.key, in.key_position, std::move(value));
    }
  }

  void put_key(Open& in, const Value& key, const Position& position) {
    in.waits = true;
    in.skipped = true;
    if (!key.is_scalar()) return out_.add(position, "a key must be plain text");
    in.key = key.text();
    in.key_position = position;
    in.skipped = !in.keys.insert(in.key).second;
    if (in.skipped)
      out_.add(position, "duplicate key '" + one_line(in.key) + "'; a key is allowed once in a map");
    if (in.keys.size() > kMaxKeys) throw InputError(position, "more than 100000 keys in one map");
  }

  std::string source_;
  Diagnostics& out_;
  Value root_;
  std::vector<Open> open_;
  std::unordered_map<YAML::anchor_t, Named> anchors_;
  std::size_t pieces_ = 0;
  int documents_ = 0;
};

// The parser itself takes any bytes, and UTF-16.
void refuse_other_encodings(const std::string& text, const std::string& source) {
  const auto bad = not_utf8(text);
  if (!bad) return;
  int line = 1, column = 1;
  for (std::size_t i = 0; i < *bad; ++i) {
    column = text[i] == '\n' ? 1 : column + ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80);
    line += text[i] == '\n';
  }
  throw InputError({source, line, column},
                   "found the byte " + visible(text.substr(*bad, 1)) + "; only UTF-8 is allowed");
}

bool is_json(const std::string& source_name) {
  const std::string end = ".json";
  return source_name.size() >= end.size() &&
         source_name.compare(source_name.size() - end.size(), end.size(), end) == 0;
}

// The number of an escape "\\uXXXX" at `at`; -1 if there is none.
long escape_at(const std::string& text, std::size_t at) {
  if (at + 6 > text.size() || text[at] != '\\' || text[at + 1] != 'u') return -1;
  const std::string digits = text.substr(at + 2, 4);
  if (digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) return -1;
  return std::stol(digits, nullptr, 16);
}

// JSON writes characters beyond 16 bits as two escapes, which YAML does not know; YAML has one of 32 bits.
std::string without_surrogates(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const long high = escape_at(text, i), low = escape_at(text, i + 6);
    if (high >= 0xD800 && high < 0xDC00 && low >= 0xDC00 && low < 0xE000) {
      std::ostringstream number;
      number << std::hex << std::setw(8) << std::setfill('0')
             << 0x10000 + ((high - 0xD800) << 10) + low - 0xDC00;
      out += "\\U" + number.str();
      i += 11;
    } else {
      // An escaped backslash does not begin an escape.
      if (text[i] == '\\' && i + 1 < text.size()) out += text[i++];
      out += text[i];
    }
  }
  return out;
}

}  // namespace

Value parse_text(const std::string& text, const std::string& source_name) {
  refuse_other_encodings(text, source_name);
  const bool json = is_json(source_name);
  try {
    Diagnostics out;
    Builder builder(source_name, out);
    std::istringstream stream(json ? without_surrogates(text) : text);
    YAML::Parser parser(stream);
    // The second call finds a second document; not all of them: it never ends where the parser makes no
    // progress.
    if (parser.HandleNextDocument(builder)) parser.HandleNextDocument(builder);
    out.throw_if_any();
    return builder.take();
  } catch (const YAML::Exception& e) {
    throw InputError(position_of(e.mark, source_name),
                     (json ? "not valid JSON: " : "not valid YAML: ") + e.msg);
  }
}

Value parse_file(const std::string& path) {
  return parse_text(read_text(path), path);
}

}  // namespace edgenpu::config
