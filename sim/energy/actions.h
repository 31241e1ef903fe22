// The actions that cost energy: one for each billable counter of a run. The names are fixed; hardware
// declares counters under them and energy tables price them.
//
// A price is written per action ("0.15 pJ"), per bit or byte ("6 pJ/bit"), per bit and length ("0.08
// pJ/bit/mm") or per refreshed capacity ("23.4 nJ/GiB"); `basis` says what it is multiplied with to become
// joules per count.
#pragma once

#include <string>
#include <vector>

#include "config/units.h"

namespace edgenpu::energy {

enum class Basis {
  each,         // the price itself
  pe_overhead,  // x the overhead of a processing element over its bare arithmetic
  integer_pe,   // the same, less the adder bits that an accumulator of less than 32 bits saves
  wire_length,  // x the length of the on-chip wires
  bank_size,    // the price follows the size of a scratchpad bank
  rank,         // x the capacity of a rank of one channel: what an all-bank refresh restores
  bank,         // x the same over the number of banks: what a per-bank refresh restores
};

struct Action {
  const char* name;         // the counter: "mac_int8"
  const char* unit;         // what it counts: "MACs"
  const char* description;  // one sentence
  Basis basis;
  config::Unit price_unit;
  double per_count;  // base units of the price's denominator in one count: 1/8 byte for a bit
};

const std::vector<Action>& actions();
// nullptr if there is no such action.
const Action* find_action(const std::string& name);
std::vector<std::string> action_names();

}  // namespace edgenpu::energy
