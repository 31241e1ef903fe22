#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>

#include "base/rates.h"
#include "config/reader.h"
#include "evidence/mapping_rule.h"
#include "workload/mixture.h"
#include "workload/model.h"

namespace edgenpu::evidence {

namespace {

using config::MapReader;
using config::Value;

// "8B" of 7.6 G, and "E2B" of a model with as much again in its embeddings.
constexpr double kNominal = 0.6;
// Expressions are searched by recursion over the text; a name is shorter.
constexpr std::size_t kLongest = 4096;
constexpr config::IntRange kTokens{0, 100'000'000}, kSomeTokens{1, 100'000'000};  // as the options take them

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// "Llama-3.2-1B (something)" -> "llama-3.2-1b"
std::string normalised(const std::string& model) {
  std::string text = lower(model);
  if (const auto p = text.find('('); p != std::string::npos) text.erase(p);
  while (!text.empty() && text.back() == ' ') text.pop_back();
  std::replace(text.begin(), text.end(), ' ', '-');
  return text;
}

// "Qwen 2.5 (7B)", "qwen2.5:7b", "Qwen_2.5/7B" -> words in lower case with a dash between them, so that one
// expression finds all spellings.
std::string dashed(const std::string& model) {
  std::string text;
  for (const char c : lower(model)) {
    if (std::string_view(" :_/|,()[]-").find(c) == std::string_view::npos)
      text += c;
    else if (!text.empty() && text.back() != '-')
      text += '-';
  }
  if (!text.empty() && text.back() == '-') text.pop_back();
  const std::string tag = "-latest";  // Ollama's for no tag at all
  if (text.size() > tag.size() && text.compare(text.size() - tag.size(), tag.size(), tag) == 0)
    text.resize(text.size() - tag.size());
  return text;
}

std::vector<std::pair<std::string, std::string>> fields_of(const Measurement& m) {
  const std::string peak = m.peak_GBps ? fmt::format(" {:g}", *m.peak_GBps) : "";
  return {{"device", lower(m.device + " | " + m.chip)},
          {"class", m.device_class},
          {"mode", lower(m.power_mode)},
          {"memory", lower(m.memory_type) + peak},
          {"model", dashed(m.model)},
          {"quant", lower(m.quant)},
          {"runtime", lower(m.runtime)},
          {"scope", lower(m.power_scope)},
          {"prompt", m.prompt ? std::to_string(*m.prompt) : ""},
          {"backend", lower(m.bench ? m.bench->backends : "")},
          {"source", lower(m.source)},
          {"threads", m.threads ? std::to_string(*m.threads) : ""}};
}

bool too_long(const std::vector<std::pair<std::string, std::string>>& fields) {
  return std::any_of(fields.begin(), fields.end(), [](const auto& f) { return f.second.size() > kLongest; });
}

// A CPU on which fewer threads than cores run uses as many cores.
void limit_to_threads(Mapped& m, std::int64_t threads) {
  const Value tree = config::HardwareFile(m.request.hardware, config::shipped_hardware(m.request.data_dir))
                         .resolve(m.overrides);
  const Value* cores = config::find_path(tree, "cores");
  if (!cores || text_of(tree, "kind") != "cpu") return;
  std::int64_t n = 0;  // what is no number is reported where the step is added
  std::from_chars(cores->text().data(), cores->text().data() + cores->text().size(), n);
  if (n <= threads) return;
  m.overrides.push_back({"cores", config::parse_text(std::to_string(threads), "threads of the row")});
}

}  // namespace

Mapping::Mapping(const std::string& path, const std::string& data_dir)
    : folder_(std::filesystem::path(path).parent_path().string()),
      data_dir_(data_dir),
      models_known_(workload::model_names(data_dir)),
      sizes_(data_dir) {
  const Value document = config::parse_file(path);
  Diagnostics out;
  MapReader r(document, out, "the mapping", config::Provenance::optional);
  r.choice("kind", {"measurement_mapping"});
  r.text("source", "");
  default_context_ = r.integer("default_context", kTokens, default_context_);
  default_prompt_ = r.integer("default_prompt", kSomeTokens, default_prompt_);
  for (const char* section : {"devices", "runtimes", "quants", "models", "contexts", "scopes"})
    r.list(section);
  r.list("backends", true);
  r.finish();
  out.throw_if_any();
  devices_ = rules(document, "devices", out);
  runtimes_ = rules(document, "runtimes", out);
  quants_ = rules(document, "quants", out);
  models_ = rules(document, "models", out);
  scopes_ = rules(document, "scopes", out);
  contexts_ = rules(document, "contexts", out);
  backends_ = rules(document, "backends", out);
  check_names(out);
  out.throw_if_any();
}

bool Mapping::holds(const Rule& rule, const Fields& fields) {
  for (const auto& [field, expression] : rule.when) {
    const auto it = std::find_if(fields.begin(), fields.end(),
                                 [&, &name = field](const auto& f) { return f.first == name; });
    if (it == fields.end() || !std::regex_search(it->second, expression)) return false;
  }
  return true;
}

const Value* Mapping::find(const Rules& rules, const Fields& fields) {
  for (const Rule& rule : rules)
    if (holds(rule, fields)) return &rule.then;
  return nullptr;
}

bool Mapping::choose_model(Mapped& m, const Measurement& row, const Fields& fields) const {
  const BenchFacts* facts = row.bench ? &*row.bench : nullptr;
  const auto by_size = [&] {
    m.request.model =
        facts && facts->parameters ? sizes_.nearest(facts->architecture, *facts->parameters) : "";
    if (m.request.model.empty()) return false;
    m.notes.push_back(fmt::format("{} by its architecture {} and {} parameters", m.request.model,
                                  facts->architecture, *facts->parameters));
    return true;
  };
  if (facts && !facts->named && by_size()) return true;
  if (const Value* rule = find(models_, fields)) {
    if (!accept(m, *rule)) return false;
    m.request.model = text_of(*rule, "use");
    return true;
  }
  m.request.model = normalised(row.model);
  if (std::find(models_known_.begin(), models_known_.end(), m.request.model) != models_known_.end())
    return true;
  if (by_size()) return true;
  m.reason = "no shape for the model " + row.model;
  return false;
}

// What a row of llama-bench computed on, which is its class.
bool Mapping::choose_backend(Mapped& m, const Measurement& row, Fields& fields) const {
  if (!row.bench) return true;
  const Value* rule = find(backends_, fields);
  if (!rule) {
    m.reason = row.bench->backends.empty()
                   ? "the back end is not stated"
                   : "no rule of the mapping is for the back end " + row.bench->backends;
    return false;
  }
  if (!accept(m, *rule)) return false;
  m.kind = text_of(*rule, "kind");
  m.runtime = text_of(*rule, "runtime");
  for (auto& [name, text] : fields)
    if (name == "class") text = m.kind == "accelerator" ? "npu" : m.kind;
  return true;
}

bool Mapping::choose_quant(Mapped& m, const Fields& fields) const {
  const Value* rule = find(quants_, fields);
  if (!rule) {
    m.reason = "no quantisation is known by this name";
    return false;
  }
  if (!accept(m, *rule)) return false;
  m.request.quant = text_of(*rule, "use");
  return true;
}

void Mapping::choose_runtime(Mapped& m, const Fields& fields) const {
  const Value* rule = find(runtimes_, fields);
  if (!rule || !accept(m, *rule)) return;
  if (const Value* part = rule->find("part")) m.overrides.push_back({"runtime.part", *part});
  if (const Value* set = rule->find("set"))
    for (const Value::Entry& e : set->entries()) m.overrides.push_back({e.key, e.value});
}

void Mapping::choose_scope(Mapped& m, const Fields& fields) const {
  const Value* rule = find(scopes_, fields);
  if (!rule) {
    m.scope_reason = "what the power covers is not stated, or not known by these words";
    return;
  }
  m.scope_reason = text_of(*rule, "cannot");
  m.energy_scope = text_of(*rule, "use");
}

// A row may state the parameters of its model: nominal ones are near.
void Mapping::check_size(Mapped& m, const Measurement& row) const {
  if (!row.params_B) return;
  const double parameters = static_cast<double>(sizes_.of(m.request.model)) * 1e-9;
  if (std::abs(*row.params_B / parameters - 1) > kNominal)
    m.notes.push_back(fmt::format("the row states {:g} G parameters, {} has {:.3g} G", *row.params_B,
                                  m.request.model, parameters));
}

// Tokens cached in the middle of the generation.
void Mapping::choose_context(Mapped& m, const Measurement& row, const Fields& fields) const {
  const Value* rule = find(contexts_, fields);
  if (rule && !text_of(*rule, "note").empty()) m.notes.push_back(text_of(*rule, "note"));
  if (row.context) {
    m.request.context = *row.context;
  } else if (rule && rule->find("tokens")) {
    m.request.context = std::stoll(text_of(*rule, "tokens"));
  } else if (row.prompt || row.generated) {
    const bool with_prompt = !(rule && text_of(*rule, "prompt") == "false");
    m.request.context = (with_prompt ? row.prompt.value_or(0) : 0) + row.generated.value_or(0) / 2;
  } else {
    m.request.context = default_context_;
    m.notes.push_back(fmt::format("no context given: {} tokens assumed", default_context_));
  }
  m.request.prompt = row.prompt.value_or(0) > 0 ? *row.prompt : default_prompt_;
  choose_prompt(m, row, rule);
}

void Mapping::choose_prompt(Mapped& m, const Measurement& row, const Value* rule) {
  if (rule && !row.prompt && row.context && text_of(*rule, "prompt") == "context")
    m.request.prompt = *row.context;
  const std::string text = rule ? text_of(*rule, "block") : "";
  const std::int64_t block = text.empty() ? 1 : std::stoll(text);
  m.prompt_step = ceil_div(m.request.prompt, block) * block;
  m.prompt_cached = row.depth;
  if (rule && text_of(*rule, "whole_cache") == "true")
    m.prompt_cached = std::max<std::int64_t>(0, m.request.context - m.prompt_step);
}

Mapped Mapping::finish(Mapped m, const Measurement& row, Fields fields) const {
  if (too_long(fields)) {
    m.reason = fmt::format("a text of more than {} characters is no name", kLongest);
    return m;
  }
  m.notes.insert(m.notes.end(), row.row_notes.begin(), row.row_notes.end());
  m.reason = row.left_out;
  if (m.reason.empty() && !row.exclude_reason.empty())
    m.reason = "excluded by the file: " + row.exclude_reason;
  if (!m.reason.empty() || !choose_backend(m, row, fields)) return m;
  if (!choose_model(m, row, fields) || !choose_quant(m, fields)) return m;
  check_size(m, row);
  choose_runtime(m, fields);
  if (!m.reason.empty()) return m;
  choose_context(m, row, fields);
  choose_scope(m, fields);
  m.request.batch = row.batch;
  m.request.kv = row.kv;
  m.request.data_dir = data_dir_;
  if (row.threads && *row.threads > 0) {
    m.notes.push_back(fmt::format("{} threads", *row.threads));
    limit_to_threads(m, *row.threads);
  }
  return m;
}

Mapped Mapping::map(const Measurement& row) const {
  Mapped m;
  Fields fields = fields_of(row);
  if (!row.exclude_reason.empty()) {
    m.reason = "excluded by the file: " + row.exclude_reason;
    return m;
  }
  if (!too_long(fields) && !choose_device(m, row, fields)) return m;
  return finish(std::move(m), row, std::move(fields));
}

Mapped Mapping::map_onto(const Measurement& row, const std::string& hardware) const {
  Mapped m;
  Fields fields = fields_of(row);
  m.request.hardware = config::hardware_file(hardware, config::shipped_hardware(data_dir_));
  fields.emplace_back("hardware", std::filesystem::path(hardware).filename().string());
  return finish(std::move(m), row, std::move(fields));
}

}  // namespace edgenpu::evidence
