// The tables of a GGUF file: header, metadata, tensors.
#include <algorithm>
#include <fmt/format.h>

#include "base/error.h"
#include "base/suggest.h"
#include "workload/gguf.h"
#include "workload/gguf_cursor.h"
#include "workload/mapped_file.h"

namespace edgenpu::workload {

class GgufParser {
 public:
  explicit GgufParser(GgufFile& file) : file_(file), in_(file.data_, file.size_, file.source_) {}

  void parse() {
    read_header();
    for (std::uint64_t i = 0; i < keys_; ++i) read_pair(i);
    in_.set_context("");
    read_alignment();
    for (std::uint64_t i = 0; i < tensors_; ++i) read_tensor(i);
    in_.set_context("");
    place_tensors();
    refuse_overlaps();
  }

 private:
  // The smallest entries that a well-formed file can have: a one-letter key with a one-byte value; a
  // one-letter name with one dimension.
  static constexpr std::uint64_t kSmallestPair = 8 + 1 + 4 + 1;
  static constexpr std::uint64_t kSmallestTensor = 8 + 1 + 4 + 8 + 4 + 8;
  // Limits of the specification.
  static constexpr std::uint64_t kLongestKey = 65535;
  static constexpr std::uint64_t kLongestName = 64;
  static constexpr std::uint32_t kMostDimensions = 4;
  static constexpr int kDeepestArray = 4;

  void read_header();
  std::uint64_t read_count(const char* field, std::uint64_t smallest);
  void read_pair(std::uint64_t number);
  GgufValue read_value();
  GgufType read_type(const char* field);
  void skip_items(GgufType type, std::uint64_t count, int depth);
  void read_alignment();
  void read_tensor(std::uint64_t number);
  void read_dims(GgufTensor& tensor);
  Format read_format(const GgufTensor& tensor);
  void place_tensors();
  void refuse_overlaps() const;

  GgufFile& file_;
  GgufCursor in_;
  std::uint64_t keys_ = 0, tensors_ = 0;
  std::vector<std::uint64_t> offset_fields_;  // where each tensor's offset stands, for messages
};

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
  in_.set_context(fmt::format("metadata {}", quoted(key)));
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

void GgufParser::read_tensor(std::uint64_t number) {
  in_.set_context(fmt::format("tensor {}", number));
  const std::uint64_t at = in_.at();
  GgufTensor tensor;
  tensor.name = std::string(in_.text("name"));
  if (tensor.name.empty()) in_.fail(at, "name", "is empty");
  if (tensor.name.size() > kLongestName)
    in_.fail(at, "name", fmt::format("{} bytes; at most {} are allowed", tensor.name.size(), kLongestName));
  in_.set_context(fmt::format("tensor {}", quoted(tensor.name)));
  if (!file_.index_.emplace(tensor.name, file_.tensors_.size()).second)
    in_.fail(at, "name", "is there twice");
  read_dims(tensor);
  tensor.format = read_format(tensor);
  const std::uint64_t offset_at = in_.at();
  offset_fields_.push_back(offset_at);
  tensor.offset = in_.read<std::uint64_t>("offset");
  if (tensor.offset % file_.alignment_ != 0)
    in_.fail(offset_at, "offset",
             fmt::format("{} is not a multiple of the alignment, {}", tensor.offset, file_.alignment_));
  file_.tensors_.push_back(std::move(tensor));
}

void GgufParser::read_dims(GgufTensor& tensor) {
  const std::uint64_t at = in_.at();
  const auto count = in_.read<std::uint32_t>("dimensions");
  if (count < 1 || count > kMostDimensions)
    in_.fail(at, "dimensions", fmt::format("{}; 1 to {} are allowed", count, kMostDimensions));
  std::int64_t elements = 1;
  for (std::uint32_t d = 0; d < count; ++d) {
    const std::uint64_t dim_at = in_.at();
    const auto size = in_.read<std::uint64_t>("dimension");
    if (size == 0) in_.fail(dim_at, "dimension", "0; a tensor has at least one element");
    if (size > static_cast<std::uint64_t>(INT64_MAX) ||
        __builtin_mul_overflow(elements, static_cast<std::int64_t>(size), &elements))
      in_.fail(dim_at, "dimension", fmt::format("{}; the tensor would have more than 2^63 elements", size));
    tensor.dims.push_back(static_cast<std::int64_t>(size));
  }
}

Format GgufParser::read_format(const GgufTensor& tensor) {
  const std::uint64_t at = in_.at();
  const auto type = in_.read<std::uint32_t>("type");
  const std::optional<Format> format = format_by_ggml_type(type);
  if (!format) {
    std::vector<std::string> known;
    for (const FormatInfo& f : all_formats())
      if (f.ggml_type >= 0) known.push_back(fmt::format("{} ({})", f.ggml_type, f.name));
    in_.fail(at, "type", fmt::format("{} is not supported; supported: {}", type, join(known)));
  }
  const FormatInfo& f = info(*format);
  if (tensor.dims.front() % f.block_elements != 0)
    in_.fail(at, "type",
             fmt::format("rows of {} elements are not whole blocks of {} ({} elements)", tensor.dims.front(),
                         f.name, f.block_elements));
  return *format;
}

// Turns offsets in the data section into offsets in the file.
void GgufParser::place_tensors() {
  if (file_.tensors_.empty()) return;
  const std::uint64_t mask = file_.alignment_ - 1;
  const std::uint64_t start = (in_.at() + mask) & ~mask;
  if (start > file_.size_) in_.fail(in_.at(), "data", "the file ends before the tensors' data");
  const std::uint64_t room = file_.size_ - start;
  for (std::size_t i = 0; i < file_.tensors_.size(); ++i) {
    GgufTensor& t = file_.tensors_[i];
    in_.set_context(fmt::format("tensor {}", quoted(t.name)));
    const FormatInfo& f = info(t.format);
    const std::uint64_t blocks = static_cast<std::uint64_t>(t.elements() / f.block_elements);
    const auto block_bytes = static_cast<std::uint64_t>(f.block_bytes);
    if (t.offset > room || blocks > (room - t.offset) / block_bytes)
      in_.fail(offset_fields_[i], "offset",
               fmt::format("{} blocks of {} bytes at {} end past the data section, which has {} bytes",
                           blocks, block_bytes, t.offset, room));
    t.offset += start;
    t.bytes = Bytes(static_cast<std::int64_t>(blocks * block_bytes));
  }
}

void GgufParser::refuse_overlaps() const {
  std::vector<std::size_t> order(file_.tensors_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
    return file_.tensors_[a].offset < file_.tensors_[b].offset;
  });
  for (std::size_t i = 1; i < order.size(); ++i) {
    const GgufTensor& a = file_.tensors_[order[i - 1]];
    const GgufTensor& b = file_.tensors_[order[i]];
    if (a.offset + static_cast<std::uint64_t>(a.bytes.count()) > b.offset)
      in_.fail(offset_fields_[order[i]], "offset",
               fmt::format("tensors {} and {} overlap", quoted(a.name), quoted(b.name)));
  }
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
