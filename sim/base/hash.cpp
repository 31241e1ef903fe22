#include "base/hash.h"

#include <fmt/format.h>

namespace edgenpu {

std::uint64_t fnv1a(const std::string& text) {
  std::uint64_t h = 0xcbf29ce484222325;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return h;
}

std::string content_hash(const std::string& text) {
  return fmt::format("{:016x}", fnv1a(text));
}

}  // namespace edgenpu
