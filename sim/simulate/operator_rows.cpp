#include "simulate/operator_rows.h"

#include <fmt/format.h>
#include <map>
#include <tuple>

namespace edgenpu::simulate_detail {

namespace {

using workload::Operator;

// "blk.7.attn_q" -> "attn_q"; with its stored format, since a mixture gives layers different ones.
std::string row_name(const Operator& op) {
  std::string name = op.name;
  if (op.layer >= 0) name = name.substr(name.find('.', name.find('.') + 1) + 1);
  if (const auto* product = std::get_if<workload::MatMul>(&op.body))
    name += fmt::format(" [{}]", vocabulary::info(product->format).name);
  return name;
}

std::int64_t dram_bytes(const Operator& op) {
  return (workload::weight_bytes(op.body) + workload::input_bytes(op) + workload::kv_read_bytes(op.body) +
          workload::kv_write_bytes(op.body))
      .count();
}

void add(result::OperatorResult& row, std::size_t i, const Operator& op, const activity::Snapshot& run,
         const energy::StepEnergy& energy) {
  row.dram_B = checked_add(row.dram_B, dram_bytes(op));
  for (std::size_t c = 0; c < run.counters.size(); ++c)
    if (run.counters[c].name == "dram_refetched_B" || run.counters[c].name == "dram_spilled_B")
      row.dram_B = checked_add(row.dram_B, run.values[c][i]);
  row.macs = checked_add(row.macs, workload::macs(op.body).count());
  row.energy_J = row.energy_J.value_or(0) + energy.operators[i].count();
  for (std::size_t l = 0; l < row.losses_s.size(); ++l)
    row.losses_s[l] += static_cast<double>(run.losses[i][l]) * 1e-15 / run.channels;
  for (std::size_t c = 0; c < run.counters.size(); ++c)
    row.counts[c].value = checked_add(row.counts[c].value, run.values[c][i]);
}

}  // namespace

const char* runs_on(const Operator& op) {
  if (op.runs_on == workload::RunsOn::cores) return "cpu";
  return op.runs_on == workload::RunsOn::functions_on_cores ? "cpu: softmax" : "";
}

std::vector<result::OperatorResult> operator_rows(const workload::Trace& trace, const activity::Snapshot& run,
                                                  const energy::StepEnergy& energy,
                                                  const std::vector<std::string>& units) {
  std::vector<result::OperatorResult> rows;
  std::map<std::tuple<std::string, std::int64_t, std::int64_t, std::string>, std::size_t> found;
  for (std::size_t i = 0; i < trace.operators.size(); ++i) {
    const Operator& op = trace.operators[i];
    const std::string unit = units.empty() ? runs_on(op) : units[i];
    const auto [it, fresh] =
        found.try_emplace({row_name(op), dram_bytes(op), workload::macs(op.body).count(), unit}, rows.size());
    if (fresh) {
      result::OperatorResult row;
      row.name = row_name(op);
      row.kind = workload::kind_name(op.body);
      row.runs_on = unit;
      row.count = 0;
      for (const activity::CounterInfo& c : run.counters)
        row.counts.push_back({c.name, c.unit, c.description, 0});
      rows.push_back(row);
    }
    ++rows[it->second].count;
    add(rows[it->second], i, op, run, energy);
  }
  for (result::OperatorResult& row : rows) {
    for (const double loss : row.losses_s) row.time_s += loss;
    std::vector<result::NamedCount> used;
    for (const result::NamedCount& c : row.counts)
      if (c.value != 0) used.push_back(c);
    row.counts = used;
  }
  return rows;
}

}  // namespace edgenpu::simulate_detail
