#include "base/text.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace edgenpu {

namespace {

unsigned char byte(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

// Bytes of the character at `at`; 0: not UTF-8. The second byte's range excludes overlong forms, surrogates and
// what lies beyond U+10FFFF (RFC 3629, section 4).
std::size_t length_of(std::string_view text, std::size_t at) {
  const unsigned char lead = byte(text, at);
  if (lead < 0x80) return 1;
  const std::size_t length = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
  if (length == 0 || at + length > text.size()) return 0;
  const unsigned char second = byte(text, at + 1);
  const unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (second < low || second > high) return 0;
  for (std::size_t i = 2; i < length; ++i)
    if ((byte(text, at + i) & 0xC0) != 0x80) return 0;
  return length;
}

// Of ASCII, and of the second half of Latin-1 (U+0080 to U+009F), which terminals obey as well; and the marks
// that turn the direction of writing (U+202A to U+202E, U+2066 to U+2069).
bool controls(std::string_view character) {
  const unsigned char first = byte(character, 0);
  if (character.size() == 1) return first < 0x20 || first == 0x7F;
  if (character.size() == 2) return first == 0xC2 && byte(character, 1) < 0xA0;
  if (character.size() != 3 || first != 0xE2) return false;
  const unsigned char second = byte(character, 1), third = byte(character, 2);
  return (second == 0x80 && third >= 0xAA && third <= 0xAE) ||
         (second == 0x81 && third >= 0xA6 && third <= 0xA9);
}

std::string escaped(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) text += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return text;
}

// Hands over character by character: its bytes, and whether they can be shown.
template <class Take>
void walk(std::string_view text, Take take) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = length_of(text, at);
    const std::string_view character = text.substr(at, length == 0 ? 1 : length);
    take(character, length > 0 && !controls(character));
    at += character.size();
  }
}

}  // namespace

std::optional<std::size_t> not_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = length_of(text, at);
    if (length == 0) return at;
    at += length;
  }
  return {};
}

std::string visible(std::string_view text) {
  std::string out;
  walk(text, [&](std::string_view c, bool shown) {
    out += shown || c == "\n" || c == "\t" ? std::string(c) : escaped(c);
  });
  return out;
}

std::string one_line(std::string_view text, std::size_t most) {
  const std::string_view end = "...";
  std::string out;
  std::size_t kept = 0;  // as much of `out` as leaves room for the end
  bool full = false;
  walk(text.substr(0, most + 1), [&](std::string_view c, bool shown) {
    if (full) return;
    out += shown ? std::string(c) : c == "\n" ? "\\n" : c == "\t" ? "\\t" : escaped(c);
    if (out.size() + end.size() <= most) kept = out.size();
    full = out.size() > most;
  });
  return full ? out.substr(0, kept) + std::string(end) : out;
}

std::string xml_text(std::string_view text) {
  std::string out;
  walk(text, [&](std::string_view c, bool shown) {
    if (c == "&") {
      out += "&amp;";
    } else if (c == "<") {
      out += "&lt;";
    } else if (c == ">") {
      out += "&gt;";
    } else if (c == "\"") {
      out += "&quot;";
    } else {
      out += shown || c == "\n" || c == "\t" ? std::string(c) : "\xEF\xBF\xBD";
    }
  });
  return out;
}

bool plain_name(std::string_view text) {
  const auto plain = [](unsigned char c) {
    return c < 0x80 && (std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.');
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), plain);
}

std::size_t width_of(std::string_view text) {
  std::size_t width = 0;
  for (const char c : text) width += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return width;
}

}  // namespace edgenpu
