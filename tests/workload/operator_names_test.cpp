// The names that descriptions may use are those that steps give.
#include "vocabulary/operator_names.h"

#include <gmock/gmock.h>
#include <set>

#include "config/value.h"
#include "support.h"
#include "workload/generate.h"
#include "workload/transform.h"

namespace edgenpu::workload {
namespace {

// "blk.3.attn_q.factor_a" -> "attn_q"
std::string stem(std::string name, std::set<std::string>& factors) {
  if (name.rfind("blk.", 0) == 0) name = name.substr(name.find('.', 4) + 1);
  const std::size_t dot = name.find('.');
  if (dot != std::string::npos) factors.insert(name.substr(dot));
  return name.substr(0, dot);
}

TEST(OperatorNames, AreThoseThatStepsOfTheShippedModelsMakeAndNoOther) {
  std::set<std::string> made, factors;
  for (const std::string& name : model_names(kDataDir))
    for (const Operator& o : generate_decode(model(name), "F16", 16).operators)
      made.insert(stem(o.name, factors));
  const StoredModel factored =
      transform(store(model("llama-3.2-1b"), "F16"),
                config::parse_file(kDataDir + "/models/transformations/low-rank-1024.yaml"));
  for (const Operator& o : generate_decode(factored, 16).operators) made.insert(stem(o.name, factors));
  const std::vector<std::string>& known = vocabulary::operator_names();
  EXPECT_THAT(std::vector<std::string>(made.begin(), made.end()), testing::IsSubsetOf(known));
  EXPECT_THAT(factors, testing::ElementsAre(".factor_a", ".factor_b"));
}

}  // namespace
}  // namespace edgenpu::workload
