#include "report/explain.h"
#include "report/json_parts.h"

namespace edgenpu::report {

namespace {

Json outcome(const std::optional<result::WhatIf::Outcome>& o) {
  if (!o) return Json();
  if (!o->infeasible.empty()) return {{"value", o->value}, {"infeasible", o->infeasible}};
  return {{"value", o->value},
          {"tokens_per_s", number(o->tokens_per_s, "tokens_per_s")},
          {"energy_J_per_token", number(o->energy_J_per_token, "energy_J_per_token")},
          {"edp_J_s", number(o->edp_J_s, "edp_J_s")}};
}

}  // namespace

std::string json(const result::Explanation& e, const Tool& tool) {
  Json j;
  j["schema"] = 1;
  j["tool"] = {{"version", tool.version}, {"commit", tool.commit}};
  j["verdict"] = e.verdict;
  j["cause"] = e.cause.empty() ? Json() : Json(e.cause);
  j["cause_closes"] = number(e.cause_closes, "cause_closes");
  Json& path = j["critical_path_s"] = Json::object();
  for (const result::ResourceTime& r : e.critical_path) path[r.resource] = number(r.seconds, r.resource);
  Json& what_if = j["what_if"] = Json::array();
  for (const result::WhatIf& w : e.what_if)
    what_if.push_back({{"path", w.path},
                       {"value", w.value},
                       {"less", outcome(w.less)},
                       {"more", outcome(w.more)},
                       {"relaxed", outcome(w.relaxed)}});
  j["step"] = Json::parse(json(e.step, tool));
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace edgenpu::report
