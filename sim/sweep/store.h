// The results of studies in one SQLite file (docs/studies.md has its tables). A row's key is its point's id,
// so studies share points that they have in common. Several processes may write one file at once (write-ahead
// log; a writer waits up to ten seconds for another). Each row is committed on its own: killing a writer
// loses what it had not put.
//
// A row is what the simulation said. What the constraints of a study say about it is worked out whenever points
// are read, from the constraints and inputs that the study noted when it was last swept.
//
// Left out: files on network file systems, where SQLite's log does not work (give each machine a file, then
// merge). Errors: InputError naming the file: cannot be opened or written, full disk, locked, not a results
// file, made by a newer version. What was committed before stays as it is.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sweep/expand.h"
#include "sweep/row.h"

namespace edgenpu::sweep {

class Store {
 public:
  enum class Mode { write, read };
  // Mode::write creates the file if there is none.
  Store(const std::string& file, Mode mode);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Notes the study's points, their inputs and its constraints. InputError if the file has another study of this
  // name, unless it may be replaced.
  void begin_study(const Expansion& expansion, const std::string& tool, bool replace = false);
  // Whether begin_study's list is still there.
  bool lists(const Expansion& expansion) const;
  // Statuses of the points that the file has a row for, by id.
  std::map<std::string, std::string> statuses() const;
  void put(const Row& row, const std::string& tool);
  // Rows that are there already say from now on how `rows` wrote the same configuration.
  void rewrite(const std::vector<Row>& rows);
  // Takes over what another file has; rows that are here already stay.
  void merge_from(const std::string& file);
  // Names and hashes.
  std::map<std::string, std::string> hashes() const;

  const std::string& file() const;
  std::vector<std::string> studies() const;
  // The study's points with everything known about them, in order: number, id, status, message, inputs,
  // outputs, energy_<component>_J, provenance and times. A point without a row has the status "missing"; one that
  // breaks a constraint on its inputs is infeasible, and nothing is known of it, whether it was run or not.
  result::Table points(const std::string& study) const;
  // For each of its inputs the group with which it advances; -1 for derived values.
  std::vector<int> groups(const std::string& study) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Columns of Store::points that differ between two runs of the same study.
const std::vector<std::string>& time_columns();
// Columns that say where a row came from.
const std::vector<std::string>& provenance_columns();

}  // namespace edgenpu::sweep
