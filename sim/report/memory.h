// Printers of a memory bench: JSON (schema 1; keys in docs/architecture.md, section 6) and text.
#pragma once

#include <string>

#include "report/json.h"
#include "result/memory_result.h"

namespace edgenpu::report {

std::string json(const result::MemoryResult& result, const Tool& tool);
std::string text(const result::MemoryResult& result);

}  // namespace edgenpu::report
