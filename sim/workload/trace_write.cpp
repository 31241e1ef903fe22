#include <cctype>
#include <fmt/format.h>

#include "workload/operator_fields.h"
#include "workload/trace_file.h"

namespace edgenpu::workload {
namespace {

bool is_plain(const std::string& text) {
  if (text.empty() || !std::isalpha(static_cast<unsigned char>(text[0]))) return false;
  for (const char c : text)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '_' && c != '-') return false;
  // Words that YAML takes for nothing.
  return text != "null" && text != "Null" && text != "NULL";
}

// As YAML text: plain where that is unambiguous, else in double quotes.
std::string yaml_text(const std::string& text) {
  if (is_plain(text)) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      quoted += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      quoted += c;
  }
  return quoted + "\"";
}

class FieldWriter {
 public:
  void count(const char* key, std::int64_t value, std::int64_t, std::optional<std::int64_t> fallback = {}) {
    if (value != fallback) text_ += fmt::format(", {}: {}", key, value);
  }
  void bytes(const char* key, Bytes value) {
    if (value != Bytes(0)) text_ += fmt::format(", {}: {} B", key, value.count());
  }
  void flag(const char* key, bool value, std::optional<bool> fallback = {}) {
    if (value != fallback) text_ += fmt::format(", {}: {}", key, value);
  }
  template <class Enum>
  void name(const char* key, Enum value, const std::vector<std::string>& names) {
    text_ += fmt::format(", {}: {}", key, names.at(static_cast<std::size_t>(value)));
  }
  void format(const char* key, Format value, std::int64_t) {
    text_ += fmt::format(", {}: {}", key, info(value).name);
  }

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string operator_line(const Trace& trace, const Operator& op) {
  FieldWriter fields;
  OperatorBody body = op.body;
  std::visit([&](auto& o) { visit_fields(fields, o); }, body);
  fields.flag("input_on_chip", op.input_on_chip, false);
  std::string needs;
  for (const int i : op.needs)
    needs += (needs.empty() ? "" : ", ") + yaml_text(trace.operators.at(static_cast<std::size_t>(i)).name);
  return fmt::format("  - {{op: {}, name: {}{}{}{}}}\n", kind_name(op.body), yaml_text(op.name),
                     op.layer == layer_of_name(op.name) ? "" : fmt::format(", layer: {}", op.layer),
                     fields.text(), needs.empty() ? "" : fmt::format(", needs: [{}]", needs));
}

}  // namespace

std::string write_trace(const Trace& trace) {
  std::string text = fmt::format(
      "schema: 1\nmodel: {}\nquant: {}\n{}phase: {}\ncontext: {}\ntokens: {}\nbatch: {}\nkv_format: {}\n"
      "resident_weights: {} B\nresident_kv: {} B\noperators:\n",
      yaml_text(trace.model), yaml_text(trace.quant),
      trace.stand_in.empty() ? "" : fmt::format("stand_in: {}\n", yaml_text(trace.stand_in)),
      trace.phase == Phase::decode ? "decode" : "prefill", trace.context, trace.tokens, trace.batch,
      info(trace.kv_format).name, trace.resident_weights.count(), trace.resident_kv.count());
  for (const Operator& op : trace.operators) text += operator_line(trace, op);
  return text;
}

}  // namespace edgenpu::workload
