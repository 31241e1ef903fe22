// A unit of a system that runs a program: what the system must know of an NPU, a CPU cluster or a GPU.
#pragma once

#include <functional>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "activity/snapshot.h"

namespace edgenpu::hardware {

class MemorySystem;

class Machine {
 public:
  virtual ~Machine() = default;
  // Binds its sockets to memory's, from number `first` on; returns the number behind the last.
  virtual int bind(MemorySystem& memory, int first) = 0;
  // After sc_start: whether everything was done, when, and if not, what was waiting.
  virtual bool finished() const = 0;
  virtual Femtoseconds end() const = 0;
  virtual std::string describe() = 0;
  // Up to the end of its program, which is not before its own.
  virtual std::vector<activity::EngineTimes> engines(Femtoseconds end) const = 0;
  virtual std::int64_t events() const = 0;
  // Buckets of its engines go to `timeline` too: before and after the run.
  virtual void record(activity::Timeline& timeline) = 0;
  virtual void finish_recording() = 0;

  // Instead of stopping the simulation when it has finished.
  void when_finished(std::function<void()> call) { call_ = std::move(call); }

 protected:
  void tell_finished() {
    if (call_)
      call_();
    else
      sc_core::sc_stop();
  }

 private:
  std::function<void()> call_;
};

}  // namespace edgenpu::hardware
