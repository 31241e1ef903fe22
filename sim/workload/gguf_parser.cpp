// The header and the metadata of a GGUF file.
#include "workload/gguf_parser.h"

#include <fmt/format.h>

#include "workload/mapped_file.h"

namespace edgenpu::workload {

namespace {

// 0 for those whose size is in the value.
std::uint64_t size_of(GgufType type) {
  switch (type) {
    case GgufType::u8:
    case GgufType::i8:
    case GgufType::boolean:
      return 1;
    case GgufType::u16:
    case GgufType::i16:
      return 2;
    case GgufType::u32:
    case GgufType::i32:
    case GgufType::f32:
      return 4;
    case GgufType::u64:
    case GgufType::i64:
    case GgufType::f64:
      return 8;
    case GgufType::text:
    case GgufType::array:
      return 0;
  }
  return 0;
}

}  // namespace

void GgufParser::read_header() {
  const auto magic = in_.read<std::uint32_t>("magic");
  if (magic != 0x46554747) in_.fail(0, "magic", "the file does not start with 'GGUF'");
  file_.version_ = in_.read<std::uint32_t>("version");
  if (file_.version_ == 0x02000000 || file_.version_ == 0x03000000)
    in_.fail(4, "version", "a big-endian file; only little-endian files are read");
  if (file_.version_ != 2 && file_.version_ != 3)
    in_.fail(4, "version", fmt::format("{}; versions 2 and 3 are read", file_.version_));
  in_.need(16, "tensor_count");
  tensors_ = read_count("tensor_count", kSmallestTensor);
  keys_ = read_count("metadata_kv_count", kSmallestPair);
}

std::uint64_t GgufParser::read_count(const char* field, std::uint64_t smallest) {
  const std::uint64_t at = in_.at();
  const auto count = in_.read<std::uint64_t>(field);
  if (count > in_.left() / smallest)
    in_.fail(at, field,
             fmt::format("{}, but the {} bytes that follow hold at most {}", count, in_.left(),
                         in_.left() / smallest));
  return count;
}

GgufType GgufParser::read_type(const char* field) {
  const std::uint64_t at = in_.at();
  const auto type = in_.read<std::uint32_t>(field);
  if (type > static_cast<std::uint32_t>(GgufType::f64))
    in_.fail(at, field, fmt::format("{}; types 0 to 12 are known", type));
  return static_cast<GgufType>(type);
}

void GgufParser::read_pair(std::uint64_t number) {
  in_.set_context(fmt::format("metadata {}", number));
  const std::uint64_t at = in_.at();
  const std::string key(in_.text("key"));
  if (key.empty()) in_.fail(at, "key", "is empty");
  if (key.size() > kLongestKey)
    in_.fail(at, "key", fmt::format("{} bytes; at most {} are allowed", key.size(), kLongestKey));
  in_.set_context(fmt::format("metadata {}", in_quotes(key)));
  if (file_.metadata_.count(key)) in_.fail(at, "key", "is there twice");
  file_.metadata_.emplace(key, read_value());
}

GgufValue GgufParser::read_value() {
  GgufValue value;
  value.type = read_type("value type");
  value.offset = in_.at();
  if (value.type == GgufType::array) {
    value.is_array = true;
    value.type = read_type("array item type");
    value.count = in_.read<std::uint64_t>("array length");
    value.offset = in_.at();
  }
  skip_items(value.type, value.count, 1);
  return value;
}

void GgufParser::skip_items(GgufType type, std::uint64_t count, int depth) {
  const std::uint64_t start = in_.at();
  // The smallest text is its length; the smallest array a type and a length.
  const std::uint64_t size = type == GgufType::text ? 8 : type == GgufType::array ? 12 : size_of(type);
  if (count > in_.left() / size)
    in_.fail(start, "value",
             fmt::format("{} items of at least {} bytes, but the file ends after {} bytes", count, size,
                         in_.left()));
  if (type == GgufType::array && depth > kDeepestArray)
    in_.fail(start, "value", fmt::format("arrays nested more than {} deep", kDeepestArray));
  for (std::uint64_t i = 0; i < count; ++i) {
    if (type == GgufType::text) {
      in_.text("value");
    } else if (type == GgufType::array) {
      const GgufType inner = read_type("array item type");
      const auto inner_count = in_.read<std::uint64_t>("array length");
      skip_items(inner, inner_count, depth + 1);
    } else if (type == GgufType::boolean) {
      const std::uint64_t at = in_.at();
      const auto byte = in_.read<std::uint8_t>("value");
      if (byte > 1) in_.fail(at, "value", fmt::format("a boolean of {}; 0 and 1 are allowed", byte));
    } else {
      in_.skip(size * count, "value");
      return;
    }
  }
}

void GgufParser::read_alignment() {
  const std::string key = "general.alignment";
  const std::optional<std::int64_t> found = file_.integer(key);
  if (!found) return;
  if (*found < 8 || (*found & (*found - 1)) != 0)
    file_.refuse(key, fmt::format("{}; a power of two of at least 8 is allowed", *found));
  file_.alignment_ = static_cast<std::uint64_t>(*found);
}

GgufFile GgufFile::view(const std::uint8_t* data, std::uint64_t size, std::string source) {
  GgufFile file;
  file.source_ = std::move(source);
  file.data_ = data;
  file.size_ = size;
  GgufParser(file).parse();
  return file;
}

GgufFile GgufFile::open(const std::string& path) {
  auto mapping = std::make_shared<const MappedFile>(path);
  GgufFile file = view(mapping->data(), mapping->size(), path);
  file.mapping_ = std::move(mapping);
  return file;
}

}  // namespace edgenpu::workload
