// The tensor table of a GGUF file and where the tensors lie.
#include <algorithm>
#include <fmt/format.h>

#include "base/suggest.h"
#include "workload/gguf_parser.h"

namespace edgenpu::workload {

void GgufParser::read_tensor(std::uint64_t number) {
  in_.set_context(fmt::format("tensor {}", number));
  const std::uint64_t at = in_.at();
  GgufTensor tensor;
  tensor.name = std::string(in_.text("name"));
  if (tensor.name.empty()) in_.fail(at, "name", "is empty");
  if (tensor.name.size() > kLongestName)
    in_.fail(at, "name", fmt::format("{} bytes; at most {} are allowed", tensor.name.size(), kLongestName));
  in_.set_context(fmt::format("tensor {}", in_quotes(tensor.name)));
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
  const std::optional<Format> format = vocabulary::format_by_ggml_type(type);
  if (!format) {
    std::vector<std::string> known;
    for (const FormatInfo& f : vocabulary::all_formats())
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
    in_.set_context(fmt::format("tensor {}", in_quotes(t.name)));
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
               fmt::format("tensors {} and {} overlap", in_quotes(a.name), in_quotes(b.name)));
  }
}

}  // namespace edgenpu::workload
