#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "base/suggest.h"
#include "config/reader.h"
#include "workload/operator_fields.h"
#include "workload/trace_file.h"

namespace edgenpu::workload {
namespace {

using config::MapReader;
using config::Provenance;
using config::Value;

constexpr std::int64_t kMaxCount = std::int64_t{1} << 40;
constexpr std::int64_t kMaxBytes = std::int64_t{1}
                                   << 50;  // well within a double, through which sizes are read

Format read_format(config::MapReader& r, const std::string& key) {
  return static_cast<Format>(r.choice(key, vocabulary::format_names()));
}

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const OperatorBody& body : empty_bodies()) names.push_back(kind_name(body));
  return names;
}

class FieldReader {
 public:
  explicit FieldReader(MapReader& r) : r_(r) {}

  void count(const char* key, std::int64_t& value, std::int64_t low,
             std::optional<std::int64_t> fallback = {}) {
    value = r_.integer(key, {low, kMaxCount}, fallback);
  }
  void bytes(const char* key, Bytes& value) { value = r_.bytes(key, {0, kMaxBytes}, Bytes(0)); }
  void flag(const char* key, bool& value, std::optional<bool> fallback = {}) {
    value = r_.boolean(key, fallback);
  }
  template <class Enum>
  void name(const char* key, Enum& value, const std::vector<std::string>& names) {
    value = static_cast<Enum>(r_.choice(key, names));
  }
  void format(const char* key, Format& value, std::int64_t row) {
    value = read_format(r_, key);
    if (row % info(value).block_elements != 0)
      r_.error(key, fmt::format("a row of {} elements is not whole blocks of {} ({})", row, info(value).name,
                                info(value).block_elements));
  }

 private:
  MapReader& r_;
};

class TraceReader {
 public:
  Trace read(const Value& document) {
    MapReader r(document, out_, "the trace", Provenance::optional);
    read_header(r);
    const Value* operators = r.list("operators");
    r.finish();
    if (operators) read_operators(*operators);
    out_.throw_if_any();
    return std::move(trace_);
  }

 private:
  void read_header(MapReader& r) {
    r.integer("schema", {1, 1});
    trace_.model = r.text("model");
    trace_.quant = r.text("quant");
    trace_.stand_in = r.text("stand_in", "");
    trace_.phase = static_cast<Phase>(r.choice("phase", {"decode", "prefill"}));
    trace_.context = r.integer("context", {0, kMaxCount});
    trace_.tokens = r.integer("tokens", {1, kMaxCount});
    trace_.batch = r.integer("batch", {1, kMaxCount});
    trace_.kv_format = read_format(r, "kv_format");
    trace_.resident_weights = r.bytes("resident_weights", {0, kMaxBytes});
    trace_.resident_kv = r.bytes("resident_kv", {0, kMaxBytes});
    if (trace_.phase == Phase::decode && trace_.tokens != 1)
      r.error("tokens", fmt::format("found {}; a decode step has 1 new token a request", trace_.tokens));
  }

  void read_operators(const Value& list) {
    if (list.items().empty()) out_.add(list.position(), "'operators' is empty; at least one is needed");
    for (const Value& item : list.items()) read_operator(item);
    for (std::size_t i = 0; i < needs_.size(); ++i)
      if (needs_[i]) resolve_needs(i, *needs_[i]);
    check_caches(list);
  }

  // A cache lies where the attention of its layer reads it.
  void check_caches(const Value& list) {
    std::map<int, const Attention*> readers;
    for (const Operator& op : trace_.operators)
      if (const auto* attention = std::get_if<Attention>(&op.body)) readers[op.layer] = attention;
    for (std::size_t i = 0; i < trace_.operators.size(); ++i) {
      const Operator& op = trace_.operators[i];
      const auto* write = std::get_if<KvWrite>(&op.body);
      if (!write) continue;
      const Position& where = list.items()[i].position();
      const auto reader = readers.find(op.layer);
      if (reader == readers.end())
        out_.add(where, fmt::format("'{}' writes a cache that no attention of its layer reads", op.name));
      else if (const Attention& o = *reader->second;
               o.kv_heads != write->kv_heads || o.head_dim != write->head_dim ||
               o.kv_format != write->kv_format || o.requests != trace_.batch || write->m != o.requests * o.m)
        out_.add(
            where,
            fmt::format("'{}' writes another cache than the attention of its layer reads; allowed: m: {}, "
                        "kv_heads: {}, head_dim: {}, kv_format: {}, and requests: {} there",
                        op.name, trace_.batch * o.m, o.kv_heads, o.head_dim, info(o.kv_format).name,
                        trace_.batch));
    }
  }

  void read_operator(const Value& item) {
    MapReader r(item, out_, "an operator", Provenance::optional);
    Operator op;
    op.name = r.text("name");
    op.layer = static_cast<int>(r.integer("layer", {-1, 1 << 20}, layer_of_name(op.name)));
    needs_.push_back(item.is_map() ? r.list("needs", true) : nullptr);
    if (item.is_map()) read_body(item, r, op);
    if (!op.name.empty()) remember(op.name, item);
    trace_.operators.push_back(std::move(op));
  }

  // Without a known kind nobody can say which fields belong there.
  void read_body(const Value& item, MapReader& r, Operator& op) {
    const std::vector<std::string> kinds = kind_names();
    const std::size_t kind = r.choice("op", kinds);
    const Value* written = item.find("op");
    if (!written || written->text() != kinds[kind]) return;
    op.body = empty_bodies()[kind];
    FieldReader fields(r);
    std::visit([&](auto& o) { visit_fields(fields, o); }, op.body);
    if (!std::holds_alternative<Embed>(op.body)) fields.flag("input_on_chip", op.input_on_chip, false);
    if (const auto* attention = std::get_if<Attention>(&op.body)) check_groups(r, *attention);
    r.finish();
    const bool was_below = total_ <= kMaxMagnitude;
    total_ += magnitude(op.body);
    if (was_below && total_ > kMaxMagnitude)
      out_.add(item.position(),
               fmt::format("'{}': the products and bytes up to here leave 64 bits", op.name));
  }

  // A head of the cache serves a group of query heads, each group as many.
  static void check_groups(MapReader& r, const Attention& o) {
    if (o.heads % o.kv_heads != 0)
      r.error("kv_heads", fmt::format("found {}; allowed: a divisor of 'heads', {}", o.kv_heads, o.heads));
  }

  void remember(const std::string& name, const Value& item) {
    const int index = static_cast<int>(trace_.operators.size());
    const bool fresh = index_.emplace(name, index).second;
    const auto first = positions_.emplace(name, item.position()).first;
    names_.push_back(name);
    if (!fresh)
      out_.add(item.position(),
               fmt::format("operator '{}' is there already, at {}", name, to_string(first->second)));
  }

  void resolve_needs(std::size_t user, const Value& list) {
    Operator& op = trace_.operators[user];
    if (op.input_on_chip && !list.items().empty())
      out_.add(
          list.position(),
          fmt::format("'{}' has input_on_chip and needs; what it takes comes from one of them", op.name));
    for (const Value& item : list.items()) {
      const auto found = item.is_scalar() ? index_.find(item.text()) : index_.end();
      if (found == index_.end())
        out_.add(item.position(), fmt::format("'{}' needs {}, which is no operator of this trace{}", op.name,
                                              config::describe(item), did_you_mean(item.text(), names_)));
      else if (found->second >= static_cast<int>(user))
        out_.add(item.position(),
                 fmt::format("'{}' needs '{}', which does not come before it", op.name, item.text()));
      else if (std::find(op.needs.begin(), op.needs.end(), found->second) != op.needs.end())
        out_.add(item.position(), fmt::format("'{}' needs '{}' twice", op.name, item.text()));
      else
        op.needs.push_back(found->second);
    }
  }

  Diagnostics out_;
  Trace trace_;
  double total_ = 0;
  std::vector<const Value*> needs_;  // of each operator; nullptr: none
  std::map<std::string, int> index_;
  std::map<std::string, Position> positions_;
  std::vector<std::string> names_;
};

}  // namespace

Trace parse_trace(const std::string& text, const std::string& source_name) {
  return TraceReader().read(config::parse_text(text, source_name));
}

Trace read_trace(const std::string& path) {
  return TraceReader().read(config::parse_file(path));
}

}  // namespace edgenpu::workload
