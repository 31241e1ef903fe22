// From a hardware file to one merged tree: what the schema readers, --set and sweeps see.
//
//   extends: NAME|FILE       the file (relative to this one, or to the shipped descriptions) or the shipped
//                            description whose tree lies below this one
//   <section>: {part: NAME}  the section's tree lies on <section>/NAME.yaml: beside the file, beside the folder of its
//                            kind (npu/, cpu/, gpu/ or system/), the same of the files that it extends, or among the
//                            shipped descriptions (`shipped`, may be ""), in that order
//
//   units: {NAME: {...}}      of a system (config/system.h): each is a tree of its own, with extends, runtime_for and
//                             parts, without the memory of what it extends
//   runtime_for: {QUANT: NAME}   the runtime part that a quantisation needs; a user's own choice (of
//                                runtime.part) wins; the names of quantisations are not known here
//
// Order: extends, then runtime_for, then overrides (--set), then parts; so an override can swap a part, and
// wins over what is in it. A scalar `source:` is spread over the keys beside it first, so that merging never
// moves a citation to another number.
//
// NAME|FILE, wherever hardware is named: a text with a slash or the ending .yaml is a file; any other is the name of
// a shipped description, which lies in the folder of its kind (npu/, cpu/, gpu/ or system/), or else a file.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/value.h"

namespace edgenpu::config {

struct Override {
  std::string path;
  Value value;
};

// A hardware file and its parts, read once and resolved many times under different overrides.
class HardwareFile {
 public:
  // Throws InputError (missing files, malformed YAML, circular extends).
  explicit HardwareFile(const std::string& name_or_file, const std::string& shipped = "");

  // `quant`: the mixture to be run, as far as it is known. Throws InputError (bad overrides, missing parts).
  Value resolve(const std::vector<Override>& overrides, const std::string& quant = "") const;

 private:
  friend Value load_hardware_tree(const std::string&, const std::vector<std::string>&, const std::string&,
                                  const std::string&);
  Value for_quant(const std::string& quant) const;
  void check_runtimes(const Value& tree) const;
  static void refuse_runtime_for(const std::string& path, const Position& where);
  Value with_parts(const Value& tree) const;
  const Value& part(const std::string& section, const Value& name) const;

  std::vector<std::string> folders_;            // where parts are sought
  Value tree_;                                  // parts not merged yet
  mutable std::map<std::string, Value> parts_;  // by section and name
};

// Throws InputError (missing files, malformed YAML, bad overrides, circular extends).
Value load_hardware_tree(const std::string& name_or_file, const std::vector<std::string>& overrides,
                         const std::string& quant = "", const std::string& shipped = "");

// Whether NAME|FILE is a file by its form.
bool names_a_file(const std::string& name_or_file);
// The path that NAME|FILE stands for. Throws InputError, with the nearest name, where there is none.
std::string hardware_file(const std::string& name_or_file, const std::string& shipped);
// Of all shipped descriptions, in order.
std::vector<std::string> hardware_names(const std::string& shipped);

// Where the shipped descriptions lie in a data folder; "" of "".
std::string shipped_hardware(const std::string& data_dir);

}  // namespace edgenpu::config
