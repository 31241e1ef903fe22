#include "workload/transform.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <set>

#include "base/pattern.h"
#include "base/rates.h"
#include "base/suggest.h"
#include "config/reader.h"

namespace edgenpu::workload {
namespace {

using config::MapReader;
using config::Provenance;
using config::Value;

// "attn_q" of "blk.7.attn_q.weight"; "" for what is no weight.
std::string stem(const Tensor& t) {
  const std::string end = ".weight";
  if (t.name.size() < end.size() || t.name.compare(t.name.size() - end.size(), end.size(), end) != 0)
    return "";
  const std::size_t begin = t.layer < 0 ? 0 : t.name.find('.', 4) + 1;
  return t.name.substr(begin, t.name.size() - end.size() - begin);
}

bool is_matrix(const Tensor& t) {
  return t.rows > 1 && !stem(t).empty() && stem(t).rfind("rope_", 0) != 0;
}

class Transformer {
 public:
  explicit Transformer(StoredModel& stored) : s_(stored), m_(stored.model) {}

  void apply(const Value& item) {
    if (!item.is_map()) {
      out_.add(item.position(), "a transformation is a map with 'kind', found " + config::describe(item));
      out_.throw_if_any();
    }
    MapReader r(item, out_, "a transformation", Provenance::optional);
    using Kind = void (Transformer::*)(MapReader&);
    const std::pair<const char*, Kind> kinds[] = {{"precision", &Transformer::precision},
                                                  {"prune_rows", &Transformer::prune_rows},
                                                  {"prune_columns", &Transformer::prune_columns},
                                                  {"prune_heads", &Transformer::prune_heads},
                                                  {"prune_layers", &Transformer::prune_layers},
                                                  {"low_rank", &Transformer::low_rank},
                                                  {"sparsity", &Transformer::sparsity},
                                                  {"skip_layers", &Transformer::skip_layers},
                                                  {"skip_neurons", &Transformer::skip_neurons},
                                                  {"drop_tokens", &Transformer::drop_tokens},
                                                  {"window", &Transformer::window}};
    std::vector<std::string> names;
    for (const auto& [name, kind] : kinds) names.emplace_back(name);
    const std::size_t kind = r.choice("kind", names);
    out_.throw_if_any();
    (this->*kinds[kind].second)(r);
    r.finish();
    out_.throw_if_any();
  }

 private:
  // All layers, or those that `layers` lists.
  std::set<int> layers(MapReader& r, bool required = false) {
    std::set<int> chosen;
    if (!required && !r.has("layers")) {
      for (int i = 0; i < m_.layers; ++i) chosen.insert(i);
      return chosen;
    }
    const std::string text = r.text("layers");
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      add_range(r, text.substr(begin, end - begin), chosen);
      begin = end + 1;
    }
    return chosen;
  }

  void add_range(MapReader& r, const std::string& part, std::set<int>& chosen) {
    int first = -1, last = -1;
    const char *begin = part.data(), *end = begin + part.size();
    while (begin < end && *begin == ' ') ++begin;
    auto [stop, error] = std::from_chars(begin, end, first);
    last = first;
    if (error == std::errc() && stop < end && *stop == '-') {
      const auto second = std::from_chars(stop + 1, end, last);
      stop = second.ptr;
      error = second.ec;
    }
    if (error != std::errc() || stop != end || first < 0 || last < first || last >= m_.layers) {
      r.error("layers", fmt::format("'{}' is no layer or range of layers of {}, which has 0 to {}", part,
                                    m_.name, m_.layers - 1));
      return;
    }
    for (int i = first; i <= last; ++i) chosen.insert(i);
  }

  // Matrices that `tensors` and `layers` name; those outside of layers only where no layers are given.
  std::vector<StoredTensor*> tensors(MapReader& r) {
    const std::string pattern = r.text("tensors");
    const bool everywhere = !r.has("layers");
    const std::set<int> chosen = layers(r);
    std::vector<StoredTensor*> found;
    for (StoredTensor& t : s_.tensors)
      if (is_matrix(t.tensor) && matches(pattern, stem(t.tensor)) &&
          (t.tensor.layer < 0 ? everywhere : chosen.count(t.tensor.layer) > 0))
        found.push_back(&t);
    if (!found.empty()) return found;
    std::set<std::string> names;
    for (const StoredTensor& t : s_.tensors)
      if (is_matrix(t.tensor)) names.insert(stem(t.tensor));
    const std::vector<std::string> list(names.begin(), names.end());
    r.error("tensors", fmt::format("'{}' matches no matrix there; the model has {}{}", pattern, join(list),
                                   did_you_mean(pattern, list)));
    return found;
  }

  double share(MapReader& r, const char* key, bool zero = false) {
    const double value = r.real(key, {0, 1});
    if (value == 0 && !zero) r.error(key, "0 is not allowed: nothing would be left");
    return value;
  }
  // What is left after a share of it has gone.
  double left(MapReader& r) {
    const double gone = share(r, "share", true);
    if (gone == 1) r.error("share", "1 is not allowed: nothing would be left");
    return 1 - gone;
  }

  static std::int64_t scaled(std::int64_t n, double part, std::int64_t block) {
    const auto kept = static_cast<std::int64_t>(std::ceil(static_cast<double>(n) * part - 1e-9));
    return std::min(n, ceil_div(std::max<std::int64_t>(1, kept), block) * block);
  }

  void set_row(StoredTensor& t, std::int64_t row, MapReader& r, const char* key) {
    if (row % info(t.format).block_elements != 0)
      r.error(key, fmt::format("{}: rows of {} elements are not whole blocks of {} ({})", t.tensor.name, row,
                               info(t.format).name, info(t.format).block_elements));
    else
      t.tensor.row = row;
  }

  void precision(MapReader& r) {
    std::vector<std::string> names;
    for (const FormatInfo& f : all_formats()) names.emplace_back(f.name);
    const Format format = all_formats().at(r.choice("format", names)).format;
    for (StoredTensor* t : tensors(r)) {
      t->format = format;
      set_row(*t, t->tensor.row, r, "format");
    }
  }

  static bool ends_with(const std::string& text, const std::string& end) {
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
  }
  void refuse_experts(MapReader& r, const char* what) {
    if (m_.moe) r.error("kind", fmt::format("{} of experts is not modelled", what));
  }
  void refuse_factors(MapReader& r) {
    for (const StoredTensor& t : s_.tensors)
      if (t.tensor.name.find(".factor_") != std::string::npos)
        return r.error("kind", "pruning comes before low_rank: factors are not pruned");
  }

  void prune_rows(MapReader& r) {
    refuse_experts(r, "pruning neurons");
    refuse_factors(r);
    const double part = left(r);
    const std::set<int> chosen = layers(r);
    std::map<int, std::pair<std::int64_t, std::int64_t>> widths;  // before and after
    for (StoredTensor& t : s_.tensors) {
      if (stem(t.tensor) != "ffn_down" || !chosen.count(t.tensor.layer)) continue;
      const std::int64_t kept = scaled(t.tensor.row, part, info(t.format).block_elements);
      widths[t.tensor.layer] = {t.tensor.row, kept};
      t.tensor.row = kept;
    }
    for (StoredTensor& t : s_.tensors) {
      const auto width = widths.find(t.tensor.layer);
      if (width == widths.end()) continue;
      const auto [before, after] = width->second;
      const bool vector = ends_with(t.tensor.name, ".bias");
      const std::string name = t.tensor.name.substr(t.tensor.name.find('.', 4) + 1);
      if (name.rfind("ffn_gate.", 0) != 0 && name.rfind("ffn_up.", 0) != 0) continue;
      std::int64_t& n = vector ? t.tensor.row : t.tensor.rows;
      n = n / before * after;  // twice as many where gate and up are one
    }
    m_.ffn = 0;
    for (const StoredTensor& t : s_.tensors)
      if (stem(t.tensor) == "ffn_down") m_.ffn = std::max(m_.ffn, t.tensor.row);
  }

  void prune_columns(MapReader& r) {
    refuse_factors(r);
    const double part = left(r);
    const std::int64_t before = m_.hidden;
    std::int64_t block = 1;
    for (const StoredTensor& t : s_.tensors)
      if (reads_stream(t.tensor)) block = std::max<std::int64_t>(block, info(t.format).block_elements);
    const std::int64_t after = scaled(before, part, block);
    for (StoredTensor& t : s_.tensors) {
      const std::string name = stem(t.tensor);
      const bool norm = ends_with(name, "norm") && name.find("attn_q_") != 0 && name.find("attn_k_") != 0;
      if (reads_stream(t.tensor) || norm) set_row(t, after, r, "share");
      if (name.rfind("attn_output", 0) == 0 || name.rfind("ffn_down", 0) == 0) t.tensor.rows = after;
      if (ends_with(t.tensor.name, "norm.bias") || ends_with(t.tensor.name, "attn_output.bias") ||
          ends_with(t.tensor.name, "ffn_down.bias"))
        t.tensor.row = after;
    }
    m_.hidden = after;
  }

  // Matrices whose input is the residual stream.
  static bool reads_stream(const Tensor& t) {
    const std::string name = stem(t);
    for (const char* reader : {"token_embd", "output", "attn_qkv", "attn_q", "attn_k", "attn_v", "ffn_gate",
                               "ffn_up", "ffn_gate_inp", "ffn_gate_exps", "ffn_up_exps", "ffn_gate_shexp",
                               "ffn_up_shexp", "ffn_gate_inp_shexp"})
      if (name == reader) return true;
    return false;
  }

  LayerUse& use(int layer) {
    if (s_.uses.empty()) s_.uses.resize(static_cast<std::size_t>(m_.layers));
    return s_.uses.at(static_cast<std::size_t>(layer));
  }

  void prune_heads(MapReader& r) {
    refuse_factors(r);
    const double part = left(r);
    // Layers that keep their heads must say so, since the model's number may change below.
    for (int layer = 0; layer < m_.layers; ++layer) {
      const LayerUse kept = s_.use_of(layer);
      use(layer) = kept;
    }
    for (const int layer : layers(r)) {
      const LayerUse before = s_.use_of(layer);
      const std::int64_t group = before.heads / before.kv_heads;
      std::int64_t kv = scaled(before.kv_heads, part, 1);
      // The output projection's rows must stay whole blocks.
      const Format format = tensor_of(layer, "attn_output").format;
      while (kv < before.kv_heads && kv * group * m_.head_dim % info(format).block_elements != 0) ++kv;
      use(layer).heads = kv * group;
      use(layer).kv_heads = kv;
      resize_heads(layer, before, use(layer));
    }
    m_.heads = m_.kv_heads = 0;
    for (const LayerUse& u : s_.uses) {
      m_.heads = std::max(m_.heads, u.heads);
      m_.kv_heads = std::max(m_.kv_heads, u.kv_heads);
    }
  }

  StoredTensor& tensor_of(int layer, const std::string& name) {
    for (StoredTensor& t : s_.tensors)
      if (t.tensor.layer == layer && stem(t.tensor) == name) return t;
    throw InternalError("no tensor " + name);
  }

  void resize_heads(int layer, const LayerUse& before, const LayerUse& after) {
    const std::int64_t d = m_.head_dim;
    for (StoredTensor& t : s_.tensors) {
      if (t.tensor.layer != layer) continue;
      const std::string name = t.tensor.name.substr(t.tensor.name.find('.', 4) + 1);
      std::int64_t& n = ends_with(name, ".bias") ? t.tensor.row : t.tensor.rows;
      if (name.rfind("attn_qkv.", 0) == 0) n = (after.heads + 2 * after.kv_heads) * d;
      if (name.rfind("attn_q.", 0) == 0) n = after.heads * d;
      if (name.rfind("attn_k.", 0) == 0 || name.rfind("attn_v.", 0) == 0) n = after.kv_heads * d;
      if (name == "attn_output.weight") t.tensor.row = after.heads * d;
      if (name == "attn_q_norm.weight" && t.tensor.row == before.heads * d) t.tensor.row = after.heads * d;
      if (name == "attn_k_norm.weight" && t.tensor.row == before.kv_heads * d)
        t.tensor.row = after.kv_heads * d;
    }
  }

  void prune_layers(MapReader& r) {
    const std::set<int> gone = layers(r, true);
    if (static_cast<std::int64_t>(gone.size()) == m_.layers) r.error("layers", "no layer would be left");
    if (m_.window && m_.window->global_every > 0)
      r.error("kind",
              "the pattern of windows would shift: not modelled for models with local and global layers");
    std::vector<StoredTensor> kept;
    for (StoredTensor t : s_.tensors) {
      if (gone.count(t.tensor.layer)) continue;
      if (t.tensor.layer >= 0) {
        const auto before = std::distance(gone.begin(), gone.lower_bound(t.tensor.layer));
        const std::string rest = t.tensor.name.substr(t.tensor.name.find('.', 4));
        t.tensor.layer -= static_cast<int>(before);
        t.tensor.name = fmt::format("blk.{}{}", t.tensor.layer, rest);
      }
      kept.push_back(t);
    }
    s_.tensors = std::move(kept);
    std::vector<LayerUse> uses;
    for (std::size_t i = 0; i < s_.uses.size(); ++i)
      if (!gone.count(static_cast<int>(i))) uses.push_back(s_.uses[i]);
    s_.uses = std::move(uses);
    m_.layers -= static_cast<std::int64_t>(gone.size());
  }

  void low_rank(MapReader& r) {
    const std::int64_t rank = r.integer("rank", {1, 1 << 17});
    std::set<std::string> names;
    for (const StoredTensor* t : tensors(r)) {
      if (t->tensor.matrices > 1)
        r.error("tensors", fmt::format("{} holds experts: their factors are not modelled", t->tensor.name));
      if (stem(t->tensor) == "token_embd")
        r.error("tensors", "the embedding table is looked up, not multiplied");
      if (t->tensor.name.find(".factor_") != std::string::npos)
        r.error("tensors", t->tensor.name + " is a factor already");
      if (stem(t->tensor).rfind("ffn_gate_inp", 0) == 0) continue;
      names.insert(t->tensor.name);
    }
    std::vector<StoredTensor> all;
    for (const StoredTensor& t : s_.tensors) {
      if (!names.count(t.tensor.name)) {
        all.push_back(t);
        continue;
      }
      const std::string base = t.tensor.name.substr(0, t.tensor.name.size() - std::string("weight").size());
      const std::int64_t inner =
          ceil_div(rank, std::int64_t{info(t.format).block_elements}) * info(t.format).block_elements;
      StoredTensor a = t, b = t;
      a.tensor.name = base + "factor_a.weight";
      a.tensor.rows = inner;
      b.tensor.name = base + "factor_b.weight";
      b.tensor.row = inner;
      all.push_back(a);
      all.push_back(b);
    }
    // A bias belongs to the second factor, which produces the result.
    for (StoredTensor& t : all)
      if (ends_with(t.tensor.name, ".bias") &&
          names.count(t.tensor.name.substr(0, t.tensor.name.size() - 4) + "weight"))
        t.tensor.name = t.tensor.name.substr(0, t.tensor.name.size() - 4) + "factor_b.bias";
    s_.tensors = std::move(all);
  }

  void sparsity(MapReader& r) {
    const double density = share(r, "density");
    const std::int64_t bits = r.integer("index_bits", {0, 32});
    for (StoredTensor* t : tensors(r)) {
      if (stem(t->tensor) == "token_embd" && r.value().find("tensors")->text() == "token_embd")
        r.error("tensors", "the embedding table is looked up, not multiplied");
      // Tables that are looked up and routers stay dense.
      if (stem(t->tensor) == "token_embd" || stem(t->tensor).rfind("ffn_gate_inp", 0) == 0) continue;
      t->density = density;
      t->index_bits = bits;
    }
  }

  void skip_layers(MapReader& r) {
    const double probability = share(r, "probability", true);
    for (const int layer : layers(r)) use(layer).probability = probability;
  }
  void skip_neurons(MapReader& r) {
    refuse_experts(r, "skipping neurons");
    const double probability = share(r, "probability");
    for (const int layer : layers(r)) use(layer).neurons = probability;
  }
  void window(MapReader& r) {
    const std::int64_t size = r.integer("size", {1, 1 << 30});
    m_.window = SlidingWindow{size, r.integer("global_every", {0, 512}, 0)};
  }
  void drop_tokens(MapReader& r) {
    const double keep = share(r, "keep");
    for (const int layer : layers(r)) use(layer).tokens = keep;
  }

  StoredModel& s_;
  Model& m_;
  Diagnostics out_;
};

}  // namespace

StoredModel transform(StoredModel model, const config::Value& document) {
  Diagnostics out;
  MapReader r(document, out, "the transformation file", Provenance::optional);
  const std::string name = r.text("name");
  r.text("source", "");
  r.text("description", "");
  const config::Value* list = r.list("transformations");
  r.finish();
  if (list && list->items().empty()) r.error("transformations", "is empty; at least one is needed");
  out.throw_if_any();
  Transformer transformer(model);
  for (const config::Value& item : list->items()) transformer.apply(item);
  model.model.name += "+" + name;
  return model;
}

StoredModel transform(StoredModel model, const std::string& name_or_path, const std::string& data_dir) {
  const bool path = name_or_path.find('/') != std::string::npos ||
                    std::filesystem::path(name_or_path).extension() == ".yaml";
  if (path) return transform(std::move(model), config::parse_file(name_or_path));
  const std::string dir = data_dir + "/models/transformations";
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(dir, none))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  if (std::find(names.begin(), names.end(), name_or_path) == names.end())
    throw InputError({"--transform", 0, 0},
                     fmt::format("unknown transformation '{}'; known in {}: {}{}", name_or_path, dir,
                                 names.empty() ? "none" : join(names), did_you_mean(name_or_path, names)));
  return transform(std::move(model), config::parse_file(dir + "/" + name_or_path + ".yaml"));
}

}  // namespace edgenpu::workload
