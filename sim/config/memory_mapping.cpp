#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <map>

#include "base/suggest.h"
#include "config/memory.h"

namespace edgenpu::config {

namespace {

using Kind = MappingField::Kind;

struct KindName {
  const char* name;
  Kind kind;
};
constexpr KindName kKinds[] = {{"row", Kind::row},
                               {"rank", Kind::rank},
                               {"bank", Kind::bank},
                               {"bg", Kind::group},
                               {"col", Kind::column}};

const std::map<std::string, std::string>& reference_names() {
  static const std::map<std::string, std::string> names = {{"RoBaCoBgCo", "row,bank,col,bg,col1"},
                                                           {"RoBaCoBg", "row,bank,col,bg"},
                                                           {"RoBaBgCo", "row,bank,bg,col"},
                                                           {"RoCoBaBg", "row,col,bank,bg"},
                                                           {"RoBaCo", "row,bank,col"},
                                                           {"RoCoBa", "row,col,bank"}};
  return names;
}

const char* name_of(Kind kind) {
  for (const KindName& k : kKinds)
    if (k.kind == kind) return k.name;
  return "?";
}

int log2_ceil(std::int64_t n) {
  int bits = 0;
  while ((std::int64_t{1} << bits) < n) ++bits;
  return bits;
}

int bits_needed(const Memory& m, Kind kind) {
  switch (kind) {
    case Kind::row:
      return log2_ceil(m.rows);
    case Kind::rank:
      return log2_ceil(m.ranks);
    case Kind::bank:
      return log2_ceil(m.banks_per_group);
    case Kind::group:
      return log2_ceil(m.bank_groups);
    case Kind::column:
      return log2_ceil(m.bursts_per_row());
  }
  return 0;
}

// bits = -1: as many as are left. False if the text is no field.
bool parse_field(const std::string& text, MappingField& field) {
  std::string body = text;
  const std::size_t hat = body.find('^');
  if (hat != std::string::npos) {
    if (body.substr(hat) != "^row") return false;
    field.xor_row = true;
    body.resize(hat);
  }
  std::size_t letters = 0;
  while (letters < body.size() && std::isalpha(static_cast<unsigned char>(body[letters]))) ++letters;
  const std::string digits = body.substr(letters);
  if (digits.size() > 2 || digits.find_first_not_of("0123456789") != std::string::npos) return false;
  for (const KindName& k : kKinds) {
    if (body.substr(0, letters) != k.name) continue;
    field.kind = k.kind;
    field.bits = digits.empty() ? -1 : std::stoi(digits);
    return !field.xor_row || k.kind == Kind::bank || k.kind == Kind::group;
  }
  return false;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',')
      parts.emplace_back();
    else if (!std::isspace(static_cast<unsigned char>(c)))
      parts.back() += c;
  }
  return parts;
}

// Gives the open field of each kind what is left, and checks that every bit is placed once.
bool fill_bits(std::vector<MappingField>& fields, const Memory& m, std::string& why) {
  for (const KindName& k : kKinds) {
    int given = 0, open = 0;
    for (const MappingField& f : fields)
      if (f.kind == k.kind) f.bits < 0 ? ++open : given += f.bits;
    const int needed = bits_needed(m, k.kind);
    if (open > 1) {
      why = fmt::format("'{}' stands more than once without a number of bits", k.name);
      return false;
    }
    if (given > needed || (open == 0 && given != needed)) {
      why = fmt::format("it places {} bits of '{}', but this memory has {}", given, k.name, needed);
      return false;
    }
    for (MappingField& f : fields)
      if (f.kind == k.kind && f.bits < 0) f.bits = needed - given;
  }
  return true;
}

// Fields without bits take no place.
bool few_enough(const std::vector<MappingField>& fields, std::string& why) {
  int rows = 0, columns = 0, banks = 0;
  for (const MappingField& f : fields)
    if (f.bits > 0) ++(f.kind == Kind::row ? rows : f.kind == Kind::column ? columns : banks);
  if (std::max({rows, columns, banks}) <= kMostFields) return true;
  why =
      fmt::format("it has {} fields of row, {} of col, {} of bank, bg and rank; allowed: at most {} of each",
                  rows, columns, banks, kMostFields);
  return false;
}

bool usable(const std::vector<MappingField>& fields, const Memory& m, std::string& why) {
  const bool odd_rows = (m.rows & (m.rows - 1)) != 0;
  if (odd_rows && (fields.empty() || fields.front().kind != Kind::row)) {
    why = fmt::format("{} rows are no power of two: the row must then be the most significant field", m.rows);
    return false;
  }
  int xored = 0, row = 0;
  for (const MappingField& f : fields) {
    if (f.xor_row) xored += f.bits;
    if (f.kind == Kind::row) row += f.bits;
  }
  if (xored > row) why = fmt::format("{} bits are to be XORed with a row of {} bits", xored, row);
  return xored <= row;
}

// A mapping of open fields that fits: the same with what it lacks in front, or a plain one.
std::string that_would_do(const std::string& fields, const Memory& memory) {
  for (const std::string& text :
       {"rank," + fields, std::string("rank,row,bank,bg,col"), std::string("row,rank,bank,bg,col")}) {
    std::vector<MappingField> parsed;
    bool known = true;
    for (const std::string& part : split(text)) {
      MappingField field{};
      known = parse_field(part, field) && known;
      parsed.push_back(field);
    }
    std::string why;
    if (known && fill_bits(parsed, memory, why) && few_enough(parsed, why) && usable(parsed, memory, why))
      return text;
  }
  return "";
}

}  // namespace

std::vector<MappingField> parse_mapping(const std::string& text, const Memory& memory,
                                        const Position& position, Diagnostics& out) {
  const auto& names = reference_names();
  const auto named = names.find(text);
  std::vector<MappingField> fields;
  std::string why;
  for (const std::string& part : split(named == names.end() ? text : named->second)) {
    MappingField field{};
    if (parse_field(part, field)) {
      fields.push_back(field);
      continue;
    }
    std::vector<std::string> known;
    for (const auto& n : names) known.push_back(n.first);
    out.add(position,
            fmt::format("mapping '{}': '{}' is no field; allowed: row, rank, bank, bg, col with a number of "
                        "bits, as in row16,bank2,col5,bg2,col1, or a name: {}{}",
                        text, part, join(known), did_you_mean(text, known)));
    return {};
  }
  // A channel without ranks or bank groups need not name them.
  if (!fill_bits(fields, memory, why) || !few_enough(fields, why) || !usable(fields, memory, why)) {
    const std::string other = that_would_do(named == names.end() ? text : named->second, memory);
    out.add(position,
            fmt::format("mapping '{}': {}{}", text, why, other.empty() ? "" : "; '" + other + "' would do"));
    return {};
  }
  std::vector<MappingField> kept;
  for (const MappingField& f : fields)
    if (f.bits > 0) kept.push_back(f);
  return kept;
}

std::string Memory::mapping_text() const {
  std::string text;
  for (const MappingField& f : mapping)
    text +=
        fmt::format("{}{}{}{}", text.empty() ? "" : ",", name_of(f.kind), f.bits, f.xor_row ? "^row" : "");
  return text;
}

}  // namespace edgenpu::config
