#include "workload/gguf_cursor.h"

#include <fmt/format.h>

#include "base/error.h"

namespace edgenpu::workload {

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kShown = 64;
  std::string out = "'";
  for (const char c : text.substr(0, kShown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      out += c;
    } else {
      out += fmt::format("\\x{:02x}", byte);
    }
  }
  return out + (text.size() > kShown ? "...'" : "'");
}

namespace {

// Length of the sequence that starts at text[i], 0 if it is malformed. Unicode standard, table 3-7.
std::size_t sequence_length(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u; };
  const unsigned lead = byte(i);
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const std::size_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  unsigned low = 0x80, high = 0xbf;  // of the second byte
  if (lead == 0xe0) low = 0xa0;
  if (lead == 0xed) high = 0x9f;
  if (lead == 0xf0) low = 0x90;
  if (lead == 0xf4) high = 0x8f;
  for (std::size_t k = 1; k < length; ++k) {
    if (byte(i + k) < low || byte(i + k) > high) return 0;
    low = 0x80, high = 0xbf;
  }
  return length;
}

}  // namespace

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = sequence_length(text, i);
    if (length == 0) return false;
    i += length;
  }
  return true;
}

void GgufCursor::fail(std::uint64_t offset, const char* field, const std::string& message) const {
  throw InputError(Position{source_}, fmt::format("byte {}: {}{}{}: {}", offset, context_,
                                                  context_.empty() ? "" : ": ", field, message));
}

void GgufCursor::need(std::uint64_t bytes, const char* field) const {
  if (bytes > left())
    fail(at_, field, fmt::format("needs {} bytes, but the file ends after {} more", bytes, left()));
}

std::string_view GgufCursor::text(const char* field) {
  const std::uint64_t start = at_;
  const auto length = read<std::uint64_t>(field);
  if (length > left())
    fail(start, field, fmt::format("a text of {} bytes, but the file ends after {} more", length, left()));
  const std::string_view found(reinterpret_cast<const char*>(data_ + at_), length);
  if (!is_utf8(found)) fail(start, field, fmt::format("{} is not UTF-8", in_quotes(found)));
  at_ += length;
  return found;
}

}  // namespace edgenpu::workload
