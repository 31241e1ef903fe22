// Whether the rules of a mapping say something, and something that is known: every value is checked where it
// stands, when the file is read.
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

#include "base/files.h"
#include "base/suggest.h"
#include "config/reader.h"
#include "energy/table.h"
#include "evidence/mapping_rule.h"
#include "workload/mixture.h"

namespace edgenpu::evidence {

namespace {

using config::MapReader;
using config::Value;

const std::vector<std::string> kFields = {"device", "class",   "mode",    "memory",   "model",
                                          "quant",  "runtime", "backend", "hardware", "prompt",
                                          "scope",  "source",  "threads"};

constexpr config::IntRange kTokens{0, 100'000'000}, kSome{1, 100'000'000};

std::optional<std::regex> expression(const Value& value, Diagnostics& out) {
  if (!value.is_scalar()) {
    out.add(value.position(), "a regular expression is text; found " + config::describe(value));
    return std::nullopt;
  }
  try {
    return std::regex(value.text());
  } catch (const std::regex_error& error) {
    out.add(value.position(), "'" + value.text() + "' is no regular expression: " + error.what());
    return std::nullopt;
  }
}

// A rule does at least one of these things.
void need_one(const Value& rule, const std::vector<std::string>& keys, Diagnostics& out) {
  for (const std::string& key : keys)
    if (rule.find(key)) return;
  out.add(rule.position(), "the rule says nothing; one of these is needed: " + join(keys));
}

void not_both(const Value& rule, const std::vector<std::string>& keys, Diagnostics& out) {
  if (!rule.find("cannot")) return;
  for (const std::string& key : keys)
    if (const Value* value = rule.find(key))
      out.add(value->position(), "'" + key + "' has no effect in a rule with 'cannot'");
}

void optional_text(MapReader& r, const char* key) {
  if (r.has(key) && r.text(key).empty()) r.error(key, "is empty");
}

void check_set(MapReader& r) {
  const Value* set = r.map("set", true);
  if (!set) return;
  for (const Value::Entry& e : set->entries())
    if (e.value.is_null() || (e.value.is_scalar() && e.value.text().empty()))
      r.diagnostics().add(e.key_position, "'" + e.key + "' is set to nothing");
}

void check_context(MapReader& r) {
  if (r.has("tokens")) r.integer("tokens", kTokens);
  if (r.has("block")) r.integer("block", kSome);
  if (r.has("prompt")) r.choice("prompt", {"false", "context"});
  if (r.has("whole_cache")) r.boolean("whole_cache");
  optional_text(r, "note");
  if (r.has("tokens") && r.has("prompt") && r.text("prompt") == "false")
    r.error("prompt", "has no effect beside 'tokens'");
  need_one(r.value(), {"tokens", "prompt", "block", "whole_cache"}, r.diagnostics());
}

void check_backend(MapReader& r) {
  if (r.has("kind")) r.choice("kind", {"cpu", "gpu", "accelerator"});
  optional_text(r, "runtime");
  if (const Value* text = r.value().find("runtime")) expression(*text, r.diagnostics());
  need_one(r.value(), {"kind", "cannot"}, r.diagnostics());
  not_both(r.value(), {"kind", "runtime"}, r.diagnostics());
}

void check_device(MapReader& r) {
  optional_text(r, "hardware");
  if (r.has("scale")) r.choice("scale", {"cores", "multiprocessors"});
  check_set(r);
  r.accept("peak");  // published_peak()
  need_one(r.value(), {"hardware", "cannot"}, r.diagnostics());
  not_both(r.value(), {"hardware", "set", "scale", "peak"}, r.diagnostics());
}

// One rule of a section, but for its conditions.
void check_rule(MapReader& r, const std::string& section) {
  if (section == "contexts") return check_context(r);
  optional_text(r, "cannot");
  if (section != "scopes") optional_text(r, "note");
  if (section == "devices") return check_device(r);
  if (section == "backends") return check_backend(r);
  if (section == "runtimes") {
    optional_text(r, "part");
    check_set(r);
    need_one(r.value(), {"part", "set", "note", "cannot"}, r.diagnostics());
    return not_both(r.value(), {"part", "set"}, r.diagnostics());
  }
  optional_text(r, "use");
  need_one(r.value(), {"use", "cannot"}, r.diagnostics());
  not_both(r.value(), {"use"}, r.diagnostics());
}

}  // namespace

Mapping::Rules Mapping::rules(const Value& document, const std::string& section, Diagnostics& out) {
  Rules all;
  const Value* list = document.find(section);
  if (!list) return all;
  for (const Value& rule : list->items()) {
    if (rule.is_map())
      all.push_back(read_rule(rule, section, out));
    else
      out.add(rule.position(), "a rule is a map; found " + config::describe(rule));
  }
  return all;
}

Mapping::Rule Mapping::read_rule(const Value& rule, const std::string& section, Diagnostics& out) {
  Rule r;
  r.then = rule;
  MapReader reader(rule, out, "a rule of '" + section + "'", config::Provenance::optional);
  check_rule(reader, section);
  const Value* when = reader.map("when");
  reader.finish();
  if (!when) return r;
  for (const Value::Entry& e : when->entries()) {
    if (std::find(kFields.begin(), kFields.end(), e.key) == kFields.end())
      out.add(e.key_position, "'" + e.key + "' is no field of a measurement; there are: " + join(kFields) +
                                  did_you_mean(e.key, kFields));
    else if (auto found = expression(e.value, out))
      r.when.emplace_back(e.key, std::move(*found));
  }
  return r;
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
  check(quants_, "quantisation", vocabulary::mixture_names());
  check(models_, "model", models_known_);
  for (const Rule& rule : scopes_)
    if (const Value* use = rule.then.find("use"); use && use->text().rfind("rail ", 0) != 0)
      check({rule}, "scope of power, or 'rail NAME'", energy::scope_names());
  for (const Rule& rule : devices_) {
    published_peak(rule.then, out);
    if (const Value* peak = rule.then.find("peak"); peak && !rule.then.find("scale"))
      out.add(peak->position(), "'peak' is for a description that is scaled to it: 'scale' is missing");
    if (const Value* file = rule.then.find("hardware"); file && file->is_scalar()) try {
        if (kind_of(file_of(file->text()), file->position()) == PathKind::absent)
          out.add(file->position(), "there is no file " + describe(*file) + " beside the mapping");
      } catch (const InputError& e) {
        out.add(file->position(), describe(*file) + ": " + e.diagnostics()[0].message);
      }
  }
}

}  // namespace edgenpu::evidence
