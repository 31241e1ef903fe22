// A system as its YAML describes it: units on one memory, which programs they run, and what they share of the energy.
//
//   kind: system
//   name:, description:
//   memory:                       of all units; what a unit's own description says of memory does not count
//   units:
//     NAME: {extends: FILE, ...}  a description of kind npu, cpu, gpu or accelerator, without memory
//   placement:                    which unit runs which operators; without it there is one unit
//     UNIT: [PATTERN] | rest      patterns as in lowering.plan; the first that fits counts, in the order of the
//                                 units here; one unit takes the rest
//     handover: TIME              from the end of a stage on one unit to its beginning on the next: interrupt, wake-up,
//                                 cache maintenance; needed where units take turns
//   programs:                     several at once; without them there is one, with the system's placement
//     NAME: {units: UNIT | placement: {...}, model:, quant:, phase:, context:, prompt:, batch:, kv:}
//                                 what is left out is what the command line says; a unit runs one program
//   energy: {shared: UNIT}        the unit in whose table what is shared stands (energy/shared.h); of the other units'
//                                 tables, only what is their own counts
//
// Errors: InputError with all findings.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/memory.h"
#include "config/value.h"

namespace edgenpu::config {

struct UnitSection {
  std::string name;
  Value tree;  // a description of its own, with the system's memory
};

struct UnitPlacement {
  std::string unit;
  Position where;
  std::vector<std::string> patterns;
  bool rest = false;
};

struct SystemPlacement {
  Position where;
  std::vector<UnitPlacement> units;  // in the order in which they are asked
  std::optional<Femtoseconds> handover;
};

struct SystemProgram {
  std::string name;
  Position where;
  SystemPlacement placement;
  // As texts: they are read where the command line's are.
  std::optional<std::string> model, quant, phase, kv;
  std::optional<std::int64_t> context, prompt, batch;
};

struct System {
  std::string name, description;
  Memory memory;
  std::vector<UnitSection> units;
  std::vector<SystemProgram> programs;
  std::string shared_energy;  // of the unit of this name
};

bool is_system(const Value& tree);
// Reads a tree of load_hardware_tree.
System read_system(const Value& tree);

}  // namespace edgenpu::config
