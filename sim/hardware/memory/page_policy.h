// Which open rows a channel closes although no request waits for another one, and when.
//
// The command chooser asks for each open row that nothing in the windows wants and whose bank is not under refresh; a
// PRE then goes when the device allows it and nothing else wants the command bus. A policy sees the bank (its row, when
// it was opened and last used) and remembers nothing, or what its own members keep.
//
// To add one: docs/extending/add-a-page-policy.md.
#pragma once

#include <cstdint>
#include <memory>

#include "config/memory.h"
#include "hardware/memory/dram_state.h"

namespace edgenpu::hardware {

class PagePolicy {
 public:
  virtual ~PagePolicy() = default;
  // The cycle from which the row may be closed; kNever: it stays open.
  virtual std::int64_t close_from(int bank, const DramState::Bank& state) const = 0;
};

// Null where rows stay open whatever happens, so that nobody need ask.
std::unique_ptr<PagePolicy> make_page_policy(const config::Memory& memory);

}  // namespace edgenpu::hardware
