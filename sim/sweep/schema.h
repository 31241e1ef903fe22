// The tables of a results file, its version, and what can be wrong with a file.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "result/table.h"
#include "sweep/expand.h"

namespace edgenpu::sweep {

// An opened results file.
struct ResultsFile {
  SQLite::Database database;
  bool alone = false;  // read as a file that nobody writes: whoever opens it to write makes this view stale
};

// Creates the file if `writable`. Reading leaves nothing beside the file. Throws InputError: see store.h.
ResultsFile open_results(const std::string& file, bool writable);

// Whether somebody writes the file now, or was killed doing it.
bool has_log(const std::string& file);

// For SQLite, which takes some names for something else than a file.
std::string sqlite_name(const std::string& file);

// Results of format 2 have no notes: what was not written down then is not known now.
bool keeps_notes(SQLite::Database& database, const std::string& schema = "main");
// A query of all rows that an attached results file "other" has, with the columns of ours in their order.
std::string points_of_other(SQLite::Database& database);

// What an SQLite error means to the user.
InputError database_error(const std::string& file, const SQLite::Exception& error);

// See Store::points and Store::groups.
result::Table read_points(SQLite::Database& database, const std::string& study);
std::vector<int> read_groups(SQLite::Database& database, const std::string& study);

// What begin_study wrote of a study (store_study.cpp).
void write_study(SQLite::Database& database, const Expansion& expansion, const std::string& tool,
                 bool with_points);
std::map<std::string, std::string> hashes_of(SQLite::Database& database);
std::vector<std::string> read_columns(SQLite::Database& database, const std::string& study);
std::vector<Formula> read_constraints(SQLite::Database& database, const std::string& study);

}  // namespace edgenpu::sweep
