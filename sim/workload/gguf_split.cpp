#include "workload/gguf_split.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/error.h"

namespace edgenpu::workload {
namespace {

constexpr std::int64_t kMostParts = 99999;  // five digits

std::int64_t parts_of(const GgufFile& file) {
  const std::int64_t count = file.integer("split.count").value_or(1);
  if (count < 0 || count > kMostParts)
    file.refuse("split.count", fmt::format("{}; 1 to {} are allowed", count, kMostParts));
  return std::max<std::int64_t>(count, 1);
}

std::string part_name(const std::string& stem, std::int64_t number, std::int64_t count) {
  return fmt::format("{}-{:05}-of-{:05}.gguf", stem, number, count);
}

[[noreturn]] void fail(const GgufFile& file, const std::string& message) {
  throw InputError(Position{file.source()}, message);
}

std::string which(const GgufFile& file) {
  return fmt::format("this is part {} of a model in {} files (split.no, split.count)",
                     file.integer("split.no").value_or(0) + 1, parts_of(file));
}

void check_parts(const std::vector<GgufFile>& parts) {
  std::int64_t tensors = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const GgufFile& part = parts[i];
    tensors += static_cast<std::int64_t>(part.tensors().size());
    if (part.integer("split.no").value_or(-1) != static_cast<std::int64_t>(i) ||
        parts_of(part) != static_cast<std::int64_t>(parts.size()))
      fail(part, fmt::format("{}; its name says part {} of {}", which(part), i + 1, parts.size()));
  }
  const auto all = parts.front().integer("split.tensors.count");
  if (all && *all != tensors)
    parts.front().refuse("split.tensors.count", fmt::format("{}; the parts have {}", *all, tensors));
}

}  // namespace

std::vector<GgufFile> open_gguf_parts(const std::string& path) {
  std::vector<GgufFile> parts;
  parts.push_back(GgufFile::open(path));
  const std::int64_t count = parts_of(parts.front());
  if (count == 1) return parts;
  const GgufFile given = parts.front();
  const std::string end = part_name("", given.integer("split.no").value_or(0) + 1, count);
  if (path.size() <= end.size() || path.compare(path.size() - end.size(), end.size(), end) != 0)
    fail(given, fmt::format("{}; the others are looked for by its name, which should end in '{}'",
                            which(given), end));
  const std::string stem = path.substr(0, path.size() - end.size());
  parts.clear();
  for (std::int64_t i = 1; i <= count; ++i) {
    try {
      parts.push_back(GgufFile::open(part_name(stem, i, count)));
    } catch (const InputError& e) {
      fail(given, fmt::format("{}; part {} cannot be read: {}", which(given), i, e.what()));
    }
  }
  check_parts(parts);
  return parts;
}

void refuse_gguf_part(const GgufFile& file) {
  if (parts_of(file) > 1) fail(file, which(file) + "; models in one file are computed");
}

}  // namespace edgenpu::workload
