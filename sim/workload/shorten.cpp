#include "workload/shorten.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <numeric>

#include "workload/operator_fields.h"

namespace edgenpu::workload {

namespace {

// Writes an operator's fields down, whatever they are.
class Signature {
 public:
  explicit Signature(const OperatorBody& body) : body_(body) {
    text_ = kind_name(body);
    std::visit([this](auto& b) { visit_fields(*this, b); }, body_);
  }
  void count(const char*, std::int64_t& v, std::int64_t, std::int64_t = 0) { put(v); }
  void bytes(const char*, Bytes& v) { put(v.count()); }
  void flag(const char*, bool& v, bool = false) { put(v); }
  template <class Enum>
  void name(const char*, Enum& v, const std::vector<std::string>&) {
    put(static_cast<std::int64_t>(v));
  }
  void format(const char*, Format& v, std::int64_t) { put(static_cast<std::int64_t>(v)); }
  const std::string& text() const { return text_; }

 private:
  void put(std::int64_t v) { text_ += fmt::format(" {}", v); }
  OperatorBody body_;
  std::string text_;
};

// Traffic after which the average over layers no longer depends on which ones they were.
constexpr Bytes kSteady(24 << 20);

struct Layer {
  int first = 0, end = 0;  // operators
  int kind = 0;
  int head = 0, tail = 0;  // kinds of its first and last operators: as far as a neighbour can see
};

Bytes traffic(const Operator& op) {
  return weight_bytes(op.body) + input_bytes(op) + kv_read_bytes(op.body);
}

// Numbers for texts, the same for the same.
class Kinds {
 public:
  int of(const std::string& text) {
    return known_.emplace(text, static_cast<int>(known_.size())).first->second;
  }

 private:
  std::map<std::string, int> known_;
};

// Runs of operators in order, one a layer; empty if they are not one contiguous run each, in order.
std::vector<Layer> runs_of(const Trace& t) {
  std::vector<Layer> layers;
  for (int i = 0; i < static_cast<int>(t.operators.size()); ++i) {
    const Operator& op = t.operators[static_cast<std::size_t>(i)];
    if (op.layer < 0) continue;
    if (op.layer == static_cast<int>(layers.size())) {
      if (!layers.empty() && layers.back().end != i) return {};
      layers.push_back({i, i});
    }
    if (op.layer != static_cast<int>(layers.size()) - 1) return {};
    layers.back().end = i + 1;
  }
  return layers;
}

// An operator, and what it needs relative to itself; what lies before the layer counts from its start,
// whatever the length of the layer before.
std::string signature(const Operator& op, int index, const std::vector<int>& labels) {
  std::string text = Signature(op.body).text();
  if (op.operands) text += std::string(" ") + vocabulary::name_of(*op.operands);
  if (op.runs_on != RunsOn::engines) text += fmt::format(" @{}", static_cast<int>(op.runs_on));
  if (!labels.empty()) text += fmt::format(" #{}", labels[static_cast<std::size_t>(index)]);
  if (op.input_on_chip) text += " there";
  for (const int need : op.needs) text += fmt::format(" <{}", need - index);
  return text + ";";
}

// Layers with equal kinds for equal layers, heads and tails.
std::vector<Layer> layers_of(const Trace& t, Bytes reach, const std::vector<int>& labels) {
  std::vector<Layer> layers = runs_of(t);
  Kinds wholes, heads, tails;
  for (Layer& l : layers) {
    std::vector<std::string> texts;
    for (int i = l.first; i < l.end; ++i)
      texts.push_back(signature(t.operators[static_cast<std::size_t>(i)], i, labels));
    const int n = l.end - l.first;
    std::string whole, head, tail;
    Bytes seen{0};
    for (int i = 0; i < n; ++i) {
      const std::string& text = texts[static_cast<std::size_t>(i)];
      whole += text;
      if (seen < reach) head += text;
      seen += traffic(t.operators[static_cast<std::size_t>(l.first + i)]);
    }
    seen = Bytes(0);
    for (int i = n - 1; i >= 0 && seen < reach; --i) {
      tail += texts[static_cast<std::size_t>(i)];
      seen += traffic(t.operators[static_cast<std::size_t>(l.first + i)]);
    }
    l.kind = wholes.of(whole);
    l.head = heads.of(head);
    l.tail = tails.of(tail);
  }
  return layers;
}

using Neighbourhood = std::array<int, 3>;

Neighbourhood around(const std::vector<Layer>& layers, const std::vector<int>& kept, std::size_t at) {
  const auto layer = [&](std::size_t i) { return layers[static_cast<std::size_t>(kept[i])]; };
  return {at == 0 ? -1 : layer(at - 1).tail, layer(at).kind, at + 1 == kept.size() ? -1 : layer(at + 1).head};
}

std::map<Neighbourhood, int> neighbourhoods(const std::vector<Layer>& layers, const std::vector<int>& kept) {
  std::map<Neighbourhood, int> all;
  for (std::size_t i = 0; i < kept.size(); ++i) ++all[around(layers, kept, i)];
  return all;
}

// How often each neighbourhood must occur: where layers are small, often enough that their average is steady.
std::map<Neighbourhood, int> needed(const Trace& full, const std::vector<Layer>& layers,
                                    const std::vector<int>& all) {
  std::int64_t bytes = 1;
  for (int i = layers.front().first; i < layers.back().end; ++i)
    bytes += traffic(full.operators[static_cast<std::size_t>(i)]).count();
  const std::int64_t often = kSteady.count() * static_cast<std::int64_t>(layers.size()) / bytes + 1;
  std::map<Neighbourhood, int> needed = neighbourhoods(layers, all);
  for (auto& [around, times] : needed) times = static_cast<int>(std::min<std::int64_t>(times, often));
  return needed;
}

// The longest splice that leaves what is needed; false if there is none.
bool splice(const std::vector<Layer>& layers, const std::map<Neighbourhood, int>& needed,
            std::vector<int>& kept) {
  const auto layer = [&](std::size_t i) { return layers[static_cast<std::size_t>(kept[i])]; };
  for (std::size_t length = kept.size(); length > 0; --length) {
    for (std::size_t i = 0; i + length + 1 < kept.size(); ++i) {
      if (layer(i).tail != layer(i + length).tail || layer(i + 1).kind != layer(i + length + 1).kind)
        continue;
      std::vector<int> shorter(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(i) + 2);
      shorter.insert(shorter.end(), kept.begin() + static_cast<std::ptrdiff_t>(i + length) + 2, kept.end());
      auto left = neighbourhoods(layers, shorter);
      if (std::any_of(needed.begin(), needed.end(), [&](const auto& n) { return left[n.first] < n.second; }))
        continue;
      kept = std::move(shorter);
      return true;
    }
  }
  return false;
}

// Copies one operator; needs are renamed by the shift between old and new places.
class Rewriter {
 public:
  Rewriter(const Trace& full, ShortTrace& out)
      : full_(full), out_(out), new_index_(full.operators.size(), -1) {}

  void copy(int op, int layer) {
    Operator o = full_.operators[static_cast<std::size_t>(op)];
    const int index = static_cast<int>(out_.trace.operators.size());
    if (layer >= 0) {
      const std::size_t dot = o.name.find('.', 4);
      if (o.name.rfind("blk.", 0) == 0 && dot != std::string::npos)
        o.name = fmt::format("blk.{}{}", layer, o.name.substr(dot));
      o.layer = layer;
    }
    for (int& need : o.needs) {
      const int distance = op - need;
      // Within a splice, what an operator needs lies as far back as before.
      need = new_index_[static_cast<std::size_t>(need)] >= 0 && layer < 0
                 ? new_index_[static_cast<std::size_t>(need)]
                 : index - distance;
    }
    new_index_[static_cast<std::size_t>(op)] = index;
    out_.stands_for[static_cast<std::size_t>(op)] = index;
    out_.copy_of.push_back(op);
    out_.trace.operators.push_back(std::move(o));
  }

 private:
  const Trace& full_;
  ShortTrace& out_;
  std::vector<int> new_index_;
};

}  // namespace

ShortTrace unshortened(const Trace& full) {
  ShortTrace s{full, std::vector<int>(full.operators.size()), {}};
  std::iota(s.stands_for.begin(), s.stands_for.end(), 0);
  s.copy_of = s.stands_for;
  return s;
}

ShortTrace shorten(const Trace& full, Bytes reach, const std::vector<int>& labels) {
  const std::vector<Layer> layers = layers_of(full, reach, labels);
  if (layers.size() < 3) return unshortened(full);
  std::vector<int> kept(layers.size());
  std::iota(kept.begin(), kept.end(), 0);
  const auto enough = needed(full, layers, kept);
  while (splice(layers, enough, kept)) {
  }
  if (kept.size() == layers.size()) return unshortened(full);

  ShortTrace s{full, std::vector<int>(full.operators.size(), -1), {}};
  s.trace.operators.clear();
  Rewriter rewriter(full, s);
  for (int i = 0; i < layers.front().first; ++i) rewriter.copy(i, -1);
  for (std::size_t k = 0; k < kept.size(); ++k) {
    const Layer& layer = layers[static_cast<std::size_t>(kept[k])];
    for (int i = layer.first; i < layer.end; ++i) rewriter.copy(i, static_cast<int>(k));
  }
  for (int i = layers.back().end; i < static_cast<int>(full.operators.size()); ++i) rewriter.copy(i, -1);

  // Layers that were left out are stood for by those in the same neighbourhood, in turn.
  std::vector<int> all(layers.size());
  std::iota(all.begin(), all.end(), 0);
  std::map<Neighbourhood, std::vector<int>> representatives;
  for (std::size_t k = 0; k < kept.size(); ++k) representatives[around(layers, kept, k)].push_back(kept[k]);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Layer& layer = layers[i];
    if (s.stands_for[static_cast<std::size_t>(layer.first)] >= 0) continue;
    const std::vector<int>& alike = representatives.at(around(layers, all, i));
    const Layer& like = layers[static_cast<std::size_t>(alike[i % alike.size()])];
    for (int o = 0; o < layer.end - layer.first; ++o)
      s.stands_for[static_cast<std::size_t>(layer.first + o)] =
          s.stands_for[static_cast<std::size_t>(like.first + o)];
  }
  return s;
}

}  // namespace edgenpu::workload
