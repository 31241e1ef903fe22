#include "lowering/assign.h"

#include <algorithm>

#include "base/error.h"
#include "base/pattern.h"
#include "base/suggest.h"
#include "lowering/wishes.h"
#include "vocabulary/weight_format.h"

namespace edgenpu::lowering {

using namespace workload;

namespace {

constexpr const char* kSoftmax = "softmax";

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

class Assigner {
 public:
  Assigner(Trace& trace, const config::Npu& npu) : trace_(trace), npu_(npu) {}

  void run() {
    for (const config::OperandChoice& choice : npu_.operands) operands(choice);
    for (const config::Placed& placed : npu_.placed) place(placed);
    out_.throw_if_any();
  }

 private:
  void operands(const config::OperandChoice& choice) {
    bool used = false, refused = false;
    std::vector<std::string> names;
    for (Operator& op : trace_.operators) {
      const auto* product = std::get_if<MatMul>(&op.body);
      if (!product) continue;
      add_once(names, name_within_layer(op));
      if (!named_by(choice.pattern, op)) continue;
      used = true;
      if (op.operands) continue;
      op.operands = choice.operands;
      const std::vector<Operands> pairs = vocabulary::operand_pairs(product->format);
      if (refused || std::find(pairs.begin(), pairs.end(), choice.operands) != pairs.end()) continue;
      refused = true;
      out_.add(choice.where, std::string("lowering.operands has '") + name_of(choice.operands) + "' for " +
                                 op.name + ", whose weights are " + info(product->format).name +
                                 "; they can become " + join(vocabulary::names_of(pairs)));
    }
    if (!used)
      out_.add(choice.where, "lowering.operands has '" + choice.pattern +
                                 "', which is no matrix product of " + trace_.model + "; there are " +
                                 join(names) + did_you_mean(choice.pattern, names));
  }

  void place(const config::Placed& placed) {
    bool used = false, moves_only = false;
    std::vector<std::string> names;
    for (Operator& op : trace_.operators) {
      const auto* write = std::get_if<KvWrite>(&op.body);
      const bool computes = !write || quantises(*write);
      const bool attends = std::holds_alternative<Attention>(op.body);
      if (computes) add_once(names, name_within_layer(op));
      if (attends) add_once(names, kSoftmax);
      if (named_by(placed.pattern, op)) {
        used = used || computes;
        moves_only = moves_only || !computes;
        if (computes) op.runs_on = RunsOn::cores;
      } else if (attends && names_part(placed.pattern, op)) {
        used = true;
        if (op.runs_on == RunsOn::engines) op.runs_on = RunsOn::functions_on_cores;
      }
    }
    if (used) return;
    const std::string found = "placement.cpu has '" + placed.pattern + "', which ";
    out_.add(placed.where, moves_only ? found + "only moves data here; nothing of it runs on cores"
                                      : found + "is no operator of " + trace_.model + "; there are " +
                                            join(names) + did_you_mean(placed.pattern, names));
  }

  static bool quantises(const KvWrite& write) {
    return write.kv_format != Format::F16 && write.kv_format != Format::BF16 &&
           write.kv_format != Format::F32;
  }

  // `softmax`, `blk.3.softmax`: the vector functions of an attention operator.
  static bool names_part(const std::string& pattern, const Operator& op) {
    const std::string within = name_within_layer(op);
    return matches(pattern, kSoftmax) ||
           matches(pattern, op.name.substr(0, op.name.size() - within.size()) + kSoftmax);
  }

  Trace& trace_;
  const config::Npu& npu_;
  Diagnostics out_;
};

}  // namespace

bool assigns(const config::Npu& npu) {
  return !npu.operands.empty() || !npu.placed.empty();
}

Trace assigned(Trace trace, const config::Npu& npu) {
  for (Operator& op : trace.operators) {
    op.operands.reset();
    op.runs_on = RunsOn::engines;
  }
  Assigner(trace, npu).run();
  return trace;
}

}  // namespace edgenpu::lowering
