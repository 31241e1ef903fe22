#include "sweep/constraints.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/suggest.h"
#include "sweep/metrics.h"

namespace edgenpu::sweep {

using result::Cell;

namespace {

std::vector<std::string> with_outputs(std::vector<std::string> columns) {
  columns.insert(columns.end(), output_columns().begin(), output_columns().end());
  return columns;
}

}  // namespace

std::string Verdict::message() const {
  if (!broken.empty()) return "breaks the constraint " + broken;
  std::string text;
  for (const std::string& s : silent) text += (text.empty() ? "neither meets nor breaks " : ", ") + s;
  return text;
}

Constraints::Constraints(const std::vector<Formula>& formulas, const std::vector<std::string>& columns)
    : expressions_(with_outputs(columns)) {
  const std::set<std::string> outputs(output_columns().begin(), output_columns().end());
  for (const Formula& f : formulas) {
    const std::set<std::string>& read = expressions_.columns_of(expressions_.add(f.text, f.where));
    texts_.push_back(f.text);
    late_.push_back(
        std::any_of(read.begin(), read.end(), [&](const auto& c) { return outputs.count(c) > 0; }));
    for (const std::string& c : read) {
      read_.insert(c);
      if (!outputs.count(c)) inputs_.insert(c);
    }
  }
}

void Constraints::set(const std::string& column, const Cell& value) {
  if (read_.count(column)) expressions_.set(column, value);
}

Verdict Constraints::after_run() {
  Verdict first = verdict(false);
  if (!first.broken.empty()) return first;
  Verdict second = verdict(true);
  first.broken = second.broken;
  first.silent.insert(first.silent.end(), second.silent.begin(), second.silent.end());
  return first;
}

Verdict Constraints::verdict(bool late) {
  Verdict v;
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    if (late_[i] != late) continue;
    const int expression = static_cast<int>(i);
    const Cell value = expressions_.evaluate(expression);
    if (!std::holds_alternative<std::monostate>(value)) {
      if (!truth(value) && v.broken.empty()) v.broken = texts_[i];
      continue;
    }
    const std::vector<std::string> missing = expressions_.missing(expression);
    v.silent.push_back(texts_[i] + (missing.empty() ? "" : " (no " + join(missing) + ")"));
  }
  return v;
}

}  // namespace edgenpu::sweep
