// What the sections of a mapping (evidence/mapping.h) share: reading one rule.
#pragma once

#include <optional>
#include <string>

#include "config/value.h"
#include "evidence/mapping.h"

namespace edgenpu::evidence {

// "" if there is no such key.
std::string text_of(const config::Value& rule, const char* key);

// Takes a rule's note; false if the rule says that the row cannot be mapped.
bool accept(Mapped& m, const config::Value& rule);

// GB/s that a rule gives for rows that state none; a fault goes to `out`.
std::optional<double> published_peak(const config::Value& rule, Diagnostics& out);

}  // namespace edgenpu::evidence
