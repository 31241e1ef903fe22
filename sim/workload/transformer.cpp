#include "workload/transformer.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include "base/pattern.h"
#include "base/suggest.h"

namespace edgenpu::workload {

using config::MapReader;
using config::Provenance;
using config::Value;

namespace {

bool is_matrix(const Tensor& t) {
  return t.rows > 1 && !stem(t).empty() && stem(t).rfind("rope_", 0) != 0;
}

}  // namespace

std::string stem(const Tensor& t) {
  const std::string end = ".weight";
  if (t.name.size() < end.size() || t.name.compare(t.name.size() - end.size(), end.size(), end) != 0)
    return "";
  const std::size_t begin = t.layer < 0 ? 0 : t.name.find('.', 4) + 1;
  return t.name.substr(begin, t.name.size() - end.size() - begin);
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

void Transformer::apply(const Value& item) {
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

std::set<int> Transformer::layers(MapReader& r, bool required) {
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

void Transformer::add_range(MapReader& r, const std::string& part, std::set<int>& chosen) {
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

std::vector<StoredTensor*> Transformer::tensors(MapReader& r) {
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

double Transformer::share(MapReader& r, const char* key, bool zero) {
  const double value = r.real(key, {0, 1});
  if (value == 0 && !zero) r.error(key, "0 is not allowed: nothing would be left");
  return value;
}

double Transformer::left(MapReader& r) {
  const double gone = share(r, "share", true);
  if (gone == 1) r.error("share", "1 is not allowed: nothing would be left");
  return 1 - gone;
}

void Transformer::set_row(StoredTensor& t, std::int64_t row, MapReader& r, const char* key) {
  if (row % info(t.format).block_elements != 0)
    r.error(key, fmt::format("{}: rows of {} elements are not whole blocks of {} ({})", t.tensor.name, row,
                             info(t.format).name, info(t.format).block_elements));
  else
    t.tensor.row = row;
}

void Transformer::refuse_experts(MapReader& r, const char* what) {
  if (m_.moe) r.error("kind", fmt::format("{} of experts is not modelled", what));
}

void Transformer::refuse_kinds_of_layers(MapReader& r, const char* what) {
  if (m_.short_conv || m_.global_heads || m_.shared_cache > 0)
    r.error("kind",
            fmt::format("{} is not modelled for models with short convolutions, heads of global layers "
                        "or shared caches",
                        what));
}

void Transformer::refuse_factors(MapReader& r) {
  for (const StoredTensor& t : s_.tensors)
    if (t.tensor.name.find(".factor_") != std::string::npos)
      return r.error("kind", "pruning comes before low_rank: factors are not pruned");
}

LayerUse& Transformer::use(int layer) {
  if (s_.uses.empty()) s_.uses.resize(static_cast<std::size_t>(m_.layers));
  return s_.uses.at(static_cast<std::size_t>(layer));
}

StoredTensor& Transformer::tensor_of(int layer, const std::string& name) {
  for (StoredTensor& t : s_.tensors)
    if (t.tensor.layer == layer && stem(t.tensor) == name) return t;
  throw InternalError("no tensor " + name);
}

void Transformer::skip_layers(MapReader& r) {
  const double probability = share(r, "probability", true);
  for (const int layer : layers(r)) use(layer).probability = probability;
}

void Transformer::skip_neurons(MapReader& r) {
  refuse_experts(r, "skipping neurons");
  const double probability = share(r, "probability");
  for (const int layer : layers(r)) use(layer).neurons = probability;
}

void Transformer::window(MapReader& r) {
  refuse_kinds_of_layers(r, "another window");
  const std::int64_t size = r.integer("size", {1, 1 << 30});
  m_.window = SlidingWindow{size, r.integer("global_every", {0, 512}, 0)};
  if (m_.window->global_every == 1) r.error("global_every", "1 leaves no layer with a window");
}

void Transformer::drop_tokens(MapReader& r) {
  const double keep = share(r, "keep");
  for (const int layer : layers(r)) use(layer).tokens = keep;
}

}  // namespace edgenpu::workload
