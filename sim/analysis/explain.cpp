#include "analysis/explain.h"

#include <algorithm>
#include <fmt/format.h>

#include "analysis/levers.h"
#include "analysis/scaled_value.h"
#include "base/error.h"
#include "config/resolve.h"

namespace edgenpu::analysis {

namespace {

using activity::Loss;
using result::Explanation;
using result::StepResult;
using result::WhatIf;

constexpr double kStep = 0.1;
// A gap to the roof below this share of the time is not worth a cause; nor is a cause that closes less of it.
constexpr double kSmallGap = 0.03, kSmallShare = 0.05;
// A later lever must close so much more than an earlier one.
constexpr double kClearly = 0.02;

struct Trial {
  std::size_t lever;  // index into Explanation::what_if
  double factor;
  std::string value;
};

class Explainer {
 public:
  Explainer(const StepRequest& request, int jobs) : request_(request), jobs_(jobs) {}

  Explanation run() {
    plan();
    const std::vector<StepOutcome> outcomes = simulate_all(requests_, jobs_);
    e_.step = outcomes[0].result.value();
    for (std::size_t i = 0; i < trials_.size(); ++i) record(trials_[i], outcomes[i + 1]);
    critical_path();
    find_cause();
    verdict();
    return std::move(e_);
  }

 private:
  void plan() {
    requests_.push_back(request_);
    const config::Value tree = hardware_of(request_);
    const config::Value* placed = config::find_path(tree, "placement.cpu");
    const bool idle = !placed || placed->items().empty();
    for (const Lever& lever : levers()) {
      const auto numbers = numbers_of(tree, lever.path);
      if (numbers.empty() || (idle && std::string(lever.path).rfind("cpu.", 0) == 0)) continue;
      e_.what_if.push_back({lever.path, numbers.front().second, {}, {}, {}});
      levers_.push_back(&lever);
      for (const double factor : {1 - kStep, 1 + kStep, lever.more_is_better ? 2.0 : 0.5})
        try_out(numbers, factor);
    }
  }

  void try_out(const std::vector<std::pair<std::string, std::string>>& numbers, double factor) {
    StepRequest r = request_;
    std::string first;
    for (const auto& [path, text] : numbers) {
      const std::string value = scaled_value(text, factor);
      if (value.empty()) return;
      if (first.empty()) first = value;
      r.overrides.push_back(path + "=" + value);
      // More channels bring their own dies.
      if (path != "memory.channels") continue;
      const config::Value tree = hardware_of(request_);
      if (const config::Value* c = config::find_path(tree, "memory.capacity"))
        r.overrides.push_back("memory.capacity=" + per_channel(c->text(), text, value));
    }
    // A value that its schema does not allow is not tried.
    try {
      check_hardware(hardware_of(r));
    } catch (const InputError&) {
      return;
    }
    trials_.push_back({e_.what_if.size() - 1, factor, first});
    requests_.push_back(std::move(r));
  }

  // The same capacity for each channel.
  static std::string per_channel(const std::string& capacity, const std::string& now,
                                 const std::string& then) {
    const double number = std::stod(capacity) / std::stod(now) * std::stod(then);
    return fmt::format("{:.10g}{}", number, capacity.substr(capacity.find(' ')));
  }

  void record(const Trial& trial, const StepOutcome& outcome) {
    WhatIf::Outcome o;
    o.value = trial.value;
    if (outcome.result) {
      const result::Metrics &now = e_.step.metrics, &then = outcome.result->metrics;
      o.tokens_per_s = then.tokens_per_s / now.tokens_per_s - 1;
      if (now.energy_J_per_token && then.energy_J_per_token)
        o.energy_J_per_token = *then.energy_J_per_token / *now.energy_J_per_token - 1;
      if (now.edp_J_s && then.edp_J_s) o.edp_J_s = *then.edp_J_s / *now.edp_J_s - 1;
    } else {
      o.infeasible = outcome.result.why().text;
    }
    WhatIf& w = e_.what_if[trial.lever];
    (trial.factor == 1 - kStep ? w.less : trial.factor == 1 + kStep ? w.more : w.relaxed) = o;
  }

  double loss(Loss l) const { return e_.step.losses_s[static_cast<std::size_t>(l)]; }

  // Exposed compute belongs to the unit that the operator runs on.
  void critical_path() {
    double vector = 0;
    for (const result::OperatorResult& op : e_.step.operators)
      if (op.kind != "matmul" && op.kind != "attention")
        vector += op.losses_s[static_cast<std::size_t>(Loss::compute)];
    vector = std::min(vector, loss(Loss::compute));
    const config::Value* kind = e_.step.inputs.resolved_hardware->find("kind");
    const bool npu = kind && kind->text() == "npu";
    e_.critical_path = {
        {"memory bus", "data at peak rate", loss(Loss::transfer)},
        {"memory banks", "refresh, rows, read/write turns",
         loss(Loss::refresh) + loss(Loss::row_miss) + loss(Loss::turnaround)},
        {"memory access", "latency, queues, DMA", loss(Loss::queueing)},
        {npu ? "matrix engines" : "products", "memory waits for them", loss(Loss::compute) - vector},
        {npu ? "vector engine" : "other operators", "memory waits for them", vector},
        {"program order", "an operator waits for an earlier one", loss(Loss::dependency)},
        {"command issue", "host, command processor, DMA set-up", loss(Loss::issue)},
        {"tail", "after the last transfer", loss(Loss::tail)}};
    if (e_.step.losses() == activity::kCommonLosses) return;
    e_.critical_path.push_back({"CPU", "memory waits for its cores", loss(Loss::cores)});
    e_.critical_path.push_back({"hand-over", "to the CPU and back", loss(Loss::handover)});
  }

  bool compute_is_roof() const { return e_.step.roofline.roof == "compute"; }

  // To the lower of the two roofs, of the step's time.
  double gap() const {
    return e_.step.roofline.memory_tokens_per_s ? 1 - e_.step.roofline.fraction_of_roof : 0;
  }

  // Below the memory's roof, what closes the gap is the cause. The roof of compute moves with the numbers
  // that are tried: there, only what helps most can be said.
  void find_cause() {
    if (gap() < kSmallGap || compute_is_roof()) return;
    for (std::size_t i = 0; i < levers_.size(); ++i) {
      const auto& relaxed = e_.what_if[i].relaxed;
      if (!levers_[i]->may_be_cause || !relaxed || !relaxed->infeasible.empty()) continue;
      const double saved = 1 - 1 / (1 + relaxed->tokens_per_s);
      const double closes = saved / gap();
      if (closes < kSmallShare || closes < e_.cause_closes + kClearly) continue;
      e_.cause = e_.what_if[i].path;
      e_.cause_closes = closes;
    }
  }

  std::string what_helps() const {
    std::size_t best = levers_.size();
    double most = kSmallGap;
    for (std::size_t i = 0; i < levers_.size(); ++i) {
      const auto& relaxed = e_.what_if[i].relaxed;
      if (!levers_[i]->may_be_cause || levers_[i]->is_everything || !relaxed ||
          relaxed->tokens_per_s < most + kClearly)
        continue;
      best = i;
      most = relaxed->tokens_per_s;
    }
    if (best == levers_.size()) return "No single part helps by much.";
    return fmt::format("Of its parts, {} helps most: twice as good, {:+.0f} % tokens/s.",
                       e_.what_if[best].path, 100 * most);
  }

  void verdict() {
    const result::ResourceTime& longest =
        *std::max_element(e_.critical_path.begin(), e_.critical_path.end(),
                          [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
    const std::string share =
        fmt::format("{} {:.1f} % of the time", longest.resource, 100 * longest.seconds / e_.step.total_s);
    if (!e_.step.roofline.memory_tokens_per_s)
      e_.verdict = "The memory is ideal: " + share + ".";
    else if (compute_is_roof())
      e_.verdict = fmt::format("Compute is the roof, at {:.1f} % of it. {} On the critical path: {}.",
                               100 * (1 - gap()), what_helps(), share);
    else if (gap() < kSmallGap)
      e_.verdict =
          fmt::format("At the memory's roof ({:.1f} % of it): only more bandwidth or fewer bytes help.",
                      100 * (1 - gap()));
    else if (e_.cause.empty())
      e_.verdict = fmt::format("{:.1f} % below the memory's roof; no single number closes the gap: {}.",
                               100 * gap(), share);
    else
      e_.verdict = fmt::format(
          "{:.1f} % below the memory's roof. {} is the cause: twice as good, it closes {:.0f} % of the gap. "
          "On the "
          "critical path: {}.",
          100 * gap(), e_.cause, 100 * std::min(1.0, e_.cause_closes), share);
  }

  const StepRequest request_;
  int jobs_;
  Explanation e_;
  std::vector<const Lever*> levers_;
  std::vector<Trial> trials_;
  std::vector<StepRequest> requests_;
};

}  // namespace

Explanation explain(const StepRequest& request, int jobs) {
  return Explainer(request, jobs).run();
}

}  // namespace edgenpu::analysis
