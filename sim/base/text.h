// Texts of others (names in files, paths, messages with both) where they are shown. What a terminal would obey
// is made visible: control characters and bytes that are not UTF-8 as "\x1b".
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace edgenpu {

// Longer names are cut: no table is wider for the reader's good.
constexpr std::size_t kMostOfALine = 500;

// Where the first byte stands that is not UTF-8 (RFC 3629), if there is one.
std::optional<std::size_t> not_utf8(std::string_view text);

// Several lines: line ends and tabs stay.
std::string visible(std::string_view text);
// One line of at most `most` bytes, cut between characters: line ends and tabs as "\n" and "\t".
std::string one_line(std::string_view text, std::size_t most = kMostOfALine);
// Text of an XML element or attribute: markup as entities, what XML forbids as U+FFFD.
std::string xml_text(std::string_view text);
// Letters, digits, '_', '-' and '.' only: a name that goes into files of other tools, which have no quotes.
bool plain_name(std::string_view text);
// Columns that it takes on a terminal: characters rather than bytes.
std::size_t width_of(std::string_view text);

}  // namespace edgenpu
