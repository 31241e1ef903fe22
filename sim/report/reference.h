// Reference pages generated from the code and from an energy table, so that they cannot rot. Markdown.
#pragma once

#include <string>

#include "energy/table.h"

namespace edgenpu::report {

// Every billable counter: what it counts and what its price is multiplied with.
std::string counter_reference();

// Every price, static power and named input of a table with its range, confidence and source.
std::string price_reference(const energy::Table& table);

}  // namespace edgenpu::report
