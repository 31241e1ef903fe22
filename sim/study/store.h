// The results of studies in one SQLite file (docs/studies.md has its tables). A row's key is its point's id,
// so studies share points that they have in common. Several processes may write one file at once (write-ahead
// log; a writer waits up to ten seconds for another). Each row is committed on its own: killing a writer
// loses what it had not put.
//
// Left out: files on network file systems, where SQLite's log does not work (give each machine a file, then
// merge). Errors: InputError naming the file: cannot be opened or written, full disk, locked, not a results
// file, made by a newer version. What was committed before stays as it is.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "study/expand.h"
#include "study/row.h"

namespace edgenpu::study {

class Store {
 public:
  enum class Mode { write, read };
  // Mode::write creates the file if there is none.
  Store(const std::string& file, Mode mode);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Notes which points the study has; replaces an earlier list of a study of this name.
  void begin_study(const Expansion& expansion, const std::string& tool);
  // Statuses of the points that the file has a row for, by id.
  std::map<std::string, std::string> statuses() const;
  void put(const Row& row, const std::string& tool);
  // Takes over what another file has; rows that are here already stay.
  void merge_from(const std::string& file);

  std::vector<std::string> studies() const;
  // The study's points with everything known about them, in order: number, id, status, message, inputs,
  // outputs, energy_<component>_J, provenance and times. A point without a row has the status "missing".
  result::Table points(const std::string& study) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Columns of Store::points that differ between two runs of the same study.
const std::vector<std::string>& time_columns();
// Columns that say where a row came from.
const std::vector<std::string>& provenance_columns();

}  // namespace edgenpu::study
