// Assembles a program: appends commands with their dependencies and keeps the books of the load ring, the
// part of the scratchpad through which everything that comes from DRAM flows in first-in, first-out order.
//
// A load that needs room waits (Wait::space) for the command that was the last to read the bytes it
// overwrites; the reader must already be in the program, otherwise the in-order command processor would
// deadlock.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "config/npu.h"
#include "lowering/program.h"
#include "workload/format.h"

namespace edgenpu::lowering {

using Dependencies = std::vector<Dependency>;

class Builder {
 public:
  Builder(const config::Npu& npu, int operators, Bytes fixed);

  // Largest piece that one load may bring: a tile, and at most half of the ring, so that two are in flight.
  Bytes largest_load() const;
  const config::Npu& npu() const { return npu_; }

  void begin_operator(int op);
  int load(const Transfer& transfer);
  // `command` is the reader after which the bytes of `load` may be overwritten.
  void frees(int load, int command);
  int store(const Transfer& transfer, const Dependencies& waits);
  int matrix(const MatrixWork& work, const Dependencies& waits);
  int vector(const VectorWork& work, const Dependencies& waits);
  // Lane operations per element of a vector function.
  std::int64_t operations(const std::string& function) const;

  // Index of a stored format or operand pair; throws InfeasibleError if the engines cannot decode or multiply
  // it.
  std::int8_t format(workload::Format format, const std::string& tensor);
  std::int8_t operand_pair(const std::string& pair, const std::string& tensor);

  // A command that belongs to another operator than the current one (an epilogue emitted inside its
  // producer).
  class OperatorScope {
   public:
    OperatorScope(Builder& builder, int op) : builder_(builder), outer_(builder.op_) { builder.op_ = op; }
    ~OperatorScope() { builder_.op_ = outer_; }
    OperatorScope(const OperatorScope&) = delete;
    OperatorScope& operator=(const OperatorScope&) = delete;

   private:
    Builder& builder_;
    int outer_;
  };

  Program take() { return std::move(program_); }

 private:
  struct Occupant {
    Bytes bytes;
    int load, reader;
  };
  int append(Unit unit, std::size_t work, const Dependencies& waits);
  Dependencies make_room(Bytes bytes);

  const config::Npu& npu_;
  Program program_;
  std::deque<Occupant> occupants_;
  Bytes free_;
  int op_ = 0;
  // Without prefetch: the first load of an operator waits for the last command before it.
  int fence_ = -1;
  int last_compute_ = -1;
};

}  // namespace edgenpu::lowering
