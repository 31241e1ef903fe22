#include "numerics/operand_choice.h"

#include <algorithm>

#include "base/error.h"
#include "base/suggest.h"
#include "lowering/wishes.h"
#include "vocabulary/weight_format.h"

namespace edgenpu::numerics {

namespace {

// The operator that multiplies with a tensor: "blk.0.attn_q" of "blk.0.attn_q.weight".
std::string operator_of(const std::string& tensor) {
  const std::string name = tensor.substr(0, tensor.rfind(".weight"));
  return name == "token_embd" ? "output" : name;
}

}  // namespace

const config::OperandChoice* choice_of(const NpuArithmetic& engine, const std::string& tensor) {
  for (const config::OperandChoice& choice : engine.operands)
    if (lowering::named_by(choice.pattern, operator_of(tensor))) return &choice;
  return nullptr;
}

void check_operands(const NpuArithmetic& engine, const workload::GgufFile& file) {
  Diagnostics out;
  for (const config::OperandChoice& choice : engine.operands) {
    std::vector<std::string> names;
    bool used = false, refused = false;
    for (const workload::GgufTensor& t : file.tensors()) {
      if (t.dims.size() < 2) continue;
      const std::string name = operator_of(t.name);
      names.push_back(lowering::name_within_layer(name));
      if (!lowering::named_by(choice.pattern, name)) continue;
      used = true;
      const auto pairs = vocabulary::operand_pairs(t.format);
      if (refused || choice_of(engine, t.name) != &choice ||
          std::find(pairs.begin(), pairs.end(), choice.operands) != pairs.end())
        continue;
      refused = true;
      out.add(choice.where, std::string("lowering.operands has '") + name_of(choice.operands) + "' for " +
                                name + ", whose weights are " + vocabulary::info(t.format).name +
                                "; they can become " + join(vocabulary::names_of(pairs)));
    }
    if (!used)
      out.add(choice.where, "lowering.operands has '" + choice.pattern + "', which is no matrix of " +
                                file.source() + did_you_mean(choice.pattern, names));
  }
  out.throw_if_any();
}

}  // namespace edgenpu::numerics
