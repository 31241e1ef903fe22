// Whose turn it is in a program whose operators are placed on several units: the program is cut into stages, runs of
// operators on one unit, and a stage begins when the one before it has ended.
#pragma once

#include <systemc>

namespace edgenpu::hardware {

class Turns {
 public:
  explicit Turns(int stages) : stages_(stages) {}

  int stage() const { return stage_; }
  bool is_last(int stage) const { return stage == stages_ - 1; }
  const sc_core::sc_event& changed() const { return changed_; }
  // The stage in progress has ended.
  void next() {
    ++stage_;
    changed_.notify(sc_core::SC_ZERO_TIME);
  }

 private:
  int stages_, stage_ = 0;
  sc_core::sc_event changed_;
};

}  // namespace edgenpu::hardware
