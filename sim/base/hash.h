// FNV-1a, 64 bit (Fowler, Noll, Vo; parameters from the authors' page, RFC draft eastlake-fnv): names inputs
// by their content. Not a defence against forgery.
#pragma once

#include <cstdint>
#include <string>

namespace edgenpu {

std::uint64_t fnv1a(const std::string& text);
// 16 hexadecimal digits.
std::string content_hash(const std::string& text);

}  // namespace edgenpu
