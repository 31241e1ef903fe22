#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>

#include "base/files.h"
#include "base/rates.h"
#include "base/suggest.h"
#include "config/reader.h"
#include "study/mapping_rule.h"
#include "workload/mixture.h"
#include "workload/model.h"

namespace edgenpu::study {

namespace {

using config::MapReader;
using config::Value;

const std::vector<std::string> kFields = {"device",  "class",    "mode",   "memory", "model",  "quant",
                                          "runtime", "hardware", "prompt", "scope",  "source", "threads"};

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
          {"source", lower(m.source)},
          {"threads", m.threads ? std::to_string(*m.threads) : ""}};
}

// A CPU on which fewer threads than cores run uses as many cores.
void limit_to_threads(Mapped& m, std::int64_t threads) {
  const Value tree = config::HardwareFile(m.request.hardware).resolve(m.overrides);
  const Value* cores = tree.find("cores");
  if (!cores || text_of(tree, "kind") != "cpu" || std::stoll(cores->text()) <= threads) return;
  m.overrides.push_back({"cores", config::parse_text(std::to_string(threads), "threads of the row")});
}

}  // namespace

Mapping::Mapping(const std::string& path, const std::string& data_dir)
    : folder_(std::filesystem::path(path).parent_path().string()),
      data_dir_(data_dir),
      models_known_(workload::model_names(data_dir)) {
  const Value document = config::parse_file(path);
  Diagnostics out;
  MapReader r(document, out, "the mapping", config::Provenance::optional);
  r.choice("kind", {"measurement_mapping"});
  r.accept("source");
  default_context_ = r.integer("default_context", {0, 1 << 20}, default_context_);
  default_prompt_ = r.integer("default_prompt", {1, 1 << 20}, default_prompt_);
  for (const char* section : {"devices", "runtimes", "quants", "models", "contexts", "scopes"})
    r.list(section);
  r.finish();
  out.throw_if_any();
  devices_ = rules(document, "devices", {"hardware", "set", "scale", "peak", "note", "cannot"}, out);
  runtimes_ = rules(document, "runtimes", {"part", "set", "note", "cannot"}, out);
  quants_ = rules(document, "quants", {"use", "note", "cannot"}, out);
  models_ = rules(document, "models", {"use", "note", "cannot"}, out);
  scopes_ = rules(document, "scopes", {"use", "cannot"}, out);
  contexts_ = rules(document, "contexts", {"tokens", "prompt", "block", "whole_cache", "note"}, out);
  check_names(out);
  out.throw_if_any();
}

// Rows that a rule with a wrong name takes would only seem to be impossible.
void Mapping::check_names(Diagnostics& out) const {
  const auto check = [&](const Rules& rules, const char* what, const std::vector<std::string>& known) {
    for (const Rule& rule : rules) {
      const Value* use = rule.then.find("use");
      if (use && std::find(known.begin(), known.end(), use->text()) == known.end())
        out.add(use->position(), describe(*use) + " is no " + what + "; there are: " + join(known) +
                                     did_you_mean(use->text(), known));
    }
  };
  check(quants_, "quantisation", workload::mixture_names());
  check(models_, "model", models_known_);
  for (const Rule& rule : devices_) {
    published_peak(rule.then, out);
    if (const Value* peak = rule.then.find("peak"); peak && !rule.then.find("scale"))
      out.add(peak->position(), "'peak' is for a description that is scaled to it: 'scale' is missing");
  }
  for (const Rule& rule : devices_)
    if (const Value* file = rule.then.find("hardware");
        file && kind_of((std::filesystem::path(folder_) / file->text()).string(), file->position()) ==
                    PathKind::absent)
      out.add(file->position(), "there is no file " + describe(*file) + " beside the mapping");
}

Mapping::Rules Mapping::rules(const Value& document, const std::string& section,
                              const std::vector<std::string>& outputs, Diagnostics& out) const {
  Rules all;
  for (const Value& rule : document.find(section)->items()) {
    if (rule.is_map())
      all.push_back(read_rule(rule, outputs, out));
    else
      out.add(rule.position(), "a rule is a map; found " + config::describe(rule));
  }
  return all;
}

Mapping::Rule Mapping::read_rule(const Value& rule, const std::vector<std::string>& outputs,
                                 Diagnostics& out) const {
  Rule r;
  r.then = rule;
  MapReader reader(rule, out, "the rule", config::Provenance::optional);
  for (const std::string& key : outputs) reader.accept(key);
  const Value* when = reader.map("when");
  reader.finish();
  if (!when) return r;
  for (const Value::Entry& e : when->entries()) {
    if (std::find(kFields.begin(), kFields.end(), e.key) == kFields.end()) {
      out.add(e.key_position, "'" + e.key + "' is no field of a measurement; there are: " + join(kFields) +
                                  did_you_mean(e.key, kFields));
      continue;
    }
    try {
      r.when.emplace_back(e.key, std::regex(e.value.text()));
    } catch (const std::regex_error& error) {
      out.add(e.value.position(), "'" + e.value.text() + "' is no regular expression: " + error.what());
    }
  }
  return r;
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
  if (const Value* rule = find(models_, fields)) {
    if (!accept(m, *rule)) return false;
    m.request.model = text_of(*rule, "use");
    return true;
  }
  m.request.model = normalised(row.model);
  if (std::find(models_known_.begin(), models_known_.end(), m.request.model) != models_known_.end())
    return true;
  m.reason = "no shape for the model " + row.model;
  return false;
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

// Tokens cached in the middle of the generation.
void Mapping::choose_context(Mapped& m, const Measurement& row, const Fields& fields) const {
  const Value* rule = find(contexts_, fields);
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
  if (rule && text_of(*rule, "whole_cache") == "true")
    m.prompt_cached = std::max<std::int64_t>(0, m.request.context - m.prompt_step);
}

Mapped Mapping::finish(Mapped m, const Measurement& row, Fields fields) const {
  if (!choose_model(m, row, fields) || !choose_quant(m, fields)) return m;
  choose_runtime(m, fields);
  if (!m.reason.empty()) return m;
  choose_context(m, row, fields);
  choose_scope(m, fields);
  m.request.batch = row.batch;
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
  if (!choose_device(m, row, fields)) return m;
  return finish(std::move(m), row, std::move(fields));
}

Mapped Mapping::map_onto(const Measurement& row, const std::string& hardware) const {
  Mapped m;
  Fields fields = fields_of(row);
  m.request.hardware = hardware;
  fields.emplace_back("hardware", std::filesystem::path(hardware).filename().string());
  return finish(std::move(m), row, std::move(fields));
}

}  // namespace edgenpu::study
