// Assembles a program: appends commands with their dependencies and keeps the books of the scratchpad's
// rings.
//
//   loads    what comes from DRAM and is used at once
//   held     what comes from DRAM and is used by many commands: a block of weights, queries (may be absent)
//   outputs  results on their way to DRAM or to a function that follows at once, and partial sums (may be
//            absent)
//   scores   attention's blocks of scores, where they have no fixed place (may be absent)
//
// The rings may be divided anew for an operator: what comes into a ring then waits for the last readers of
// the bytes that it overwrites, whichever ring they lay in.
//
// What needs room waits (Wait::space) for the command that was the last to read the bytes it overwrites; the
// reader must already be in the program, otherwise the in-order command processor would deadlock.
#pragma once

#include <string>
#include <vector>

#include "config/npu.h"
#include "lowering/program.h"
#include "lowering/ring.h"
#include "lowering/vector_cost.h"
#include "vocabulary/weight_format.h"
#include "workload/operator.h"

namespace edgenpu::lowering {

using Dependencies = std::vector<Dependency>;

// How the scratchpad is divided; what is left is the ring of loads.
struct Division {
  Bytes fixed{0};  // activations and workspace
  Bytes held{0}, outputs{0}, scores{0};

  Bytes loads(Bytes size) const { return size - fixed - held - outputs - scores; }
  bool operator==(const Division& o) const {
    return fixed == o.fixed && held == o.held && outputs == o.outputs && scores == o.scores;
  }
};

class Builder {
 public:
  Builder(const config::Npu& npu, int operators, const Division& division);

  const config::Npu& npu() const { return npu_; }
  // Weights that many commands use lie here: the ring of loads where there is no other.
  bool has_held() const { return held_.size() > Bytes(0); }
  bool has_outputs() const { return outputs_.size() > Bytes(0); }
  Bytes loads_size() const { return loads_.size(); }
  Bytes held_size() const { return has_held() ? held_.size() : loads_.size(); }
  Bytes outputs_size() const { return outputs_.size(); }
  // Largest piece that one load may bring: a tile, and at most half of its ring, so that two are in flight.
  Bytes largest_load() const { return std::min(npu_.load_size(), loads_.size() / 2); }

  // Nothing that lies in a ring may still lack its last reader.
  void divide(const Division& division);

  // Where operators run, one by one; without it all on the engines.
  void place(std::vector<workload::RunsOn> runs_on) { runs_on_ = std::move(runs_on); }
  // Whether the vector functions, or the products, of the current operator run on the chip's CPU.
  bool functions_on_cores() const { return runs_on() != workload::RunsOn::engines; }
  bool products_on_cores() const { return runs_on() == workload::RunsOn::cores; }

  void begin_operator(int op);
  // The next command waits for all before it.
  void barrier() { barrier_ = !program_.commands.empty(); }
  int load(const Transfer& transfer, const Dependencies& waits = {}) { return load(loads_, transfer, waits); }
  int hold(const Transfer& transfer, const Dependencies& waits = {}) {
    return load(has_held() ? held_ : loads_, transfer, waits);
  }
  // A transfer of pieces that a list at `list` names.
  Transfer gather(const std::vector<GatherPiece>& pieces, std::int64_t list);
  // `command` is the reader after which the bytes of `load` may be overwritten.
  void frees(int load, int command);
  // Room for results; what it must wait for is appended to `waits`. Given back by releases().
  int reserve(Bytes bytes, Dependencies& waits);
  void releases(int place, int command);
  // The room for scores, until releases_scores(): nothing where it is fixed.
  void reserve_scores(Dependencies& waits);
  void releases_scores(int command);

  int store(const Transfer& transfer, const Dependencies& waits);
  // Divided among the engines as the description says, or as `split`.
  int matrix(const MatrixWork& work, const Dependencies& waits) {
    return matrix(work, waits, npu_.matrix.split);
  }
  int matrix(const MatrixWork& work, const Dependencies& waits, config::Split split);
  // On the cores where the operator is placed there.
  int vector(const VectorWork& work, const Dependencies& waits);
  // A product on the cores: a lane operation each, and `decode` for each weight that is stored in whole
  // numbers.
  int product_on_cores(const MatrixWork& work, vocabulary::Format weights, const Dependencies& waits);
  std::int32_t band(const Band& band);
  // Lane operations per element of a vector function, and what else it costs.
  std::int64_t operations(vocabulary::VectorFunction function) const;
  // Vector pipelines that a function's rows are best divided among, a command each.
  std::int64_t pipelines_for(const VectorWork& work) const;
  VectorCost cost(vocabulary::VectorFunction function) const {
    // A core keeps the rows that it works on in its caches: passes read nothing again.
    return functions_on_cores() ? elementwise(operations(function)) : cost_of(npu_.vector, function);
  }
  // Lane words of `rows` rows that each begin a word.
  std::int64_t words(std::int64_t rows, std::int64_t width) const;

  // Index of a stored format or operand pair; throws InfeasibleError if the engines cannot decode or multiply
  // it.
  std::int8_t format(vocabulary::Format format, const std::string& tensor);
  std::int8_t operand_pair(vocabulary::Operands pair, const std::string& tensor);

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

  const Program& program() const { return program_; }
  Program take();

 private:
  void divide_rings(const std::vector<Occupied>& before);
  int append(Unit unit, std::size_t work, const Dependencies& waits);
  int load(Ring& ring, const Transfer& transfer, Dependencies waits);
  workload::RunsOn runs_on() const {
    return runs_on_.empty() ? workload::RunsOn::engines : runs_on_[static_cast<std::size_t>(op_)];
  }

  const config::Npu& npu_;
  Program program_;
  Division division_;
  Ring loads_, held_, outputs_, scores_;
  std::vector<workload::RunsOn> runs_on_;  // [operator]; empty: all on the engines
  int reserved_ = 0;
  int op_ = 0;
  // Without prefetch: the first load of an operator waits for the last command before it.
  int fence_ = -1;
  int last_compute_ = -1;
  bool barrier_ = false;
};

}  // namespace edgenpu::lowering
