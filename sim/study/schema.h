// The tables of a results file, its version, and what can be wrong with a file.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <string>

#include "base/error.h"
#include "result/table.h"

namespace edgenpu::study {

// Opens a results file, creating it if `writable`. Throws InputError: see store.h.
SQLite::Database open_results(const std::string& file, bool writable);

// What an SQLite error means to the user.
InputError database_error(const std::string& file, const SQLite::Exception& error);

// See Store::points.
result::Table read_points(SQLite::Database& database, const std::string& study);

}  // namespace edgenpu::study
