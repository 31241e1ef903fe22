// The pieces that JSON documents share. Keys keep the order in which they are written; a unit is part of a
// key's name; what is absent is null. Only report/ sees the JSON library.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "result/step_result.h"
#include "result/uncertainty.h"

namespace edgenpu::config {
class Value;
}  // namespace edgenpu::config

namespace edgenpu::report {

using Json = nlohmann::ordered_json;

// Throws InternalError, naming `what`, if the number is not finite: JSON has no such number, and null would
// claim that it was not modelled.
Json number(double value, const std::string& what);
Json number(const std::optional<double>& value, const std::string& what);

// Maps and lists as they are; plain integers, reals and true/false as such; everything else (quantities with
// their units, names, quoted numbers) as text.
Json to_json(const config::Value& value);
Json to_json(const result::Metrics& metrics);
Json to_json(const result::Roofline& roofline);
Json to_json(const result::Uncertainty& uncertainty);
Json split(const result::StepResult& step);
// The first `count` of them.
Json losses(const result::Losses& losses, std::size_t count);

}  // namespace edgenpu::report
