// Findings about many points, each told once: the same wrong value stands in many of them.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/error.h"

namespace edgenpu::sweep {

class Findings {
 public:
  void add(const InputError& e) {
    for (const Diagnostic& d : e.diagnostics())
      if (seen_.insert(to_string(d.position) + d.message).second) list_.push_back(d);
  }
  // More would not help.
  bool full() const { return list_.size() >= 20; }
  void throw_if_any() const {
    if (!list_.empty()) throw InputError(list_);
  }

 private:
  std::set<std::string> seen_;
  std::vector<Diagnostic> list_;
};

}  // namespace edgenpu::sweep
