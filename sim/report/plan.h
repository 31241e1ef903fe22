// The plan of a step (simulate/plan_table.h) for people and for programs; csv() of report/study.h has all of
// it.
#pragma once

#include <string>

#include "result/table.h"

namespace edgenpu::report {

// Two tables: what each operator does, and for matrix products the best plan in another order of loops.
std::string plan_text(const result::Table& plan);

// {"schema": 1, "plan": [{column: value}]}; what does not apply is null.
std::string plan_json(const result::Table& plan);

}  // namespace edgenpu::report
