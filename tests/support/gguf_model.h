// A GGUF file of a model as llama.cpp's converter would lay it out: header and tensor table; the tensors'
// data are a hole, so that a file of gigabytes takes kilobytes of disk.
#pragma once

#include <filesystem>
#include <string>

#include "support/gguf_image.h"
#include "workload/generate.h"

namespace edgenpu::test {

class GgufModel {
 public:
  GgufModel(const workload::Model& model, const std::string& quant)
      : stored_(workload::store(model, quant)) {}
  workload::StoredModel& stored() { return stored_; }

  void write(const std::string& path) {
    metadata();
    GgufImage image;
    image.header(stored_.tensors.size(), keys_);
    image.raw(body_.bytes().data(), body_.bytes().size());
    std::uint64_t offset = 0;
    for (const workload::StoredTensor& t : stored_.tensors) {
      std::vector<std::uint64_t> dims{static_cast<std::uint64_t>(t.tensor.row)};
      if (t.tensor.rows > 1 || t.tensor.matrices > 1)
        dims.push_back(static_cast<std::uint64_t>(t.tensor.rows));
      if (t.tensor.matrices > 1) dims.push_back(static_cast<std::uint64_t>(t.tensor.matrices));
      image.tensor(t.tensor.name, dims, static_cast<std::uint32_t>(vocabulary::info(t.format).ggml_type),
                   offset);
      offset += (static_cast<std::uint64_t>(t.bytes().count()) + 31) / 32 * 32;
    }
    image.align();
    image.write(path);
    std::filesystem::resize_file(path, image.bytes().size() + offset);
  }
  // The part `no` of `count`: every count-th tensor.
  void write_part(const std::string& path, std::size_t no, std::size_t count) {
    std::vector<workload::StoredTensor> mine;
    for (std::size_t i = no; i < stored_.tensors.size(); i += count) mine.push_back(stored_.tensors[i]);
    GgufModel part = *this;
    part.key("split.no", static_cast<std::uint32_t>(no))
        .key("split.count", static_cast<std::uint32_t>(count));
    part.key("split.tensors.count", static_cast<std::uint32_t>(stored_.tensors.size()));
    part.stored_.tensors = mine;
    part.write(path);
  }
  void text(const std::string& name, const std::string& value) {
    body_.pair_text(name, value);
    ++keys_;
  }
  // Before write().
  GgufModel& key(const std::string& name, std::uint32_t value) {
    body_.pair_u32(name, value);
    ++keys_;
    return *this;
  }

 private:
  void number(const char* name, std::int64_t value) {
    key(stored_.model.gguf_arch + "." + name, static_cast<std::uint32_t>(value));
  }

  void metadata() {
    const workload::Model& m = stored_.model;
    text("general.architecture", m.gguf_arch);
    text("general.name", m.name);
    key("general.file_type", stored_.quant == "Q4_K_M" ? 15 : 7);
    number("block_count", m.layers);
    number("embedding_length", m.hidden);
    number("feed_forward_length", m.ffn);
    number("context_length", m.max_position);
    number("attention.head_count", m.heads);
    number("attention.head_count_kv", m.kv_heads);
    number("attention.key_length", m.head_dim);
    number("rope.dimension_count", m.rope.dim);
    if (m.window) number("attention.sliding_window", m.window->size);
    if (m.moe) {
      number("expert_count", m.moe->experts);
      number("expert_used_count", m.moe->active);
    }
  }

  workload::StoredModel stored_;
  GgufImage body_;
  std::uint64_t keys_ = 0;
};

}  // namespace edgenpu::test
