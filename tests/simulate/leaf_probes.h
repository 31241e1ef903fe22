// What a hardware description is read for, on workloads small enough to be run some thousand times: steps of a toy
// model whose products take the device's formats in turn, power over time, ranges, and the memory part's own prices.
#pragma once

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

#include "config/uncertain.h"
#include "energy/dram_energy.h"
#include "energy/floorplan.h"
#include "energy/split.h"
#include "numerics/npu_options.h"
#include "report/json.h"
#include "report/power.h"
#include "simulate.h"
#include "simulate/device.h"
#include "simulate/power.h"
#include "support/leaves.h"
#include "workload/generate.h"
#include "workload/trace_file.h"

namespace edgenpu::test {

// Two kinds of toy model: rotary with RMS norms and SiLU, and with layer norms and GELU.
inline workload::Model toy_model(bool classic, std::int64_t layers) {
  return workload::read_model(config::parse_text(
      fmt::format(
          "{{name: toy, gguf_arch: llama, source: assumed, layers: {}, hidden: 256, ffn: 512, vocab: 512, "
          "max_position: 4096, tied_embeddings: false, heads: 4, kv_heads: 2, head_dim: 64, fused_qkv: "
          "false, "
          "qkv_bias: false, qk_norm: none, rope: {{pairing: norm, dim: 64, theta: 10000}}, activation: {}, "
          "gated_ffn: {}, fused_gate_up: false, parallel_attn_ffn: false, other_bias: false, norm: {}, "
          "norm_eps: 1e-05, norms_per_layer: 2}}",
          layers, classic ? "gelu_tanh" : "silu", !classic, classic ? "layer" : "rms"),
      "toy"));
}

// Formats that the device decodes, or has kernels for.
inline std::vector<vocabulary::Format> formats_of(const Value& tree) {
  std::vector<vocabulary::Format> formats;
  const Value* decode = config::find_path(tree, "matrix.decode");
  const Value* isa = tree.find("isa");
  if (!decode && isa) decode = config::find_path(tree, "runtime.kernels." + isa->text() + ".formats");
  for (const Value::Entry& e : decode->entries())
    if (e.key != "source") formats.push_back(*vocabulary::format_by_name(e.key));
  return formats;
}

struct Toy {
  bool classic, prefill;
  const char* kv;
  std::int64_t tokens;
  std::int64_t layers =
      0;  // 0: two layers for seven formats, so that each is met in large and in small products
};

inline std::string toy_trace(const Value& tree, const Toy& toy) {
  const std::vector<vocabulary::Format> formats = formats_of(tree);
  const auto layers = toy.layers ? toy.layers : static_cast<std::int64_t>(formats.size() + 5) / 6;
  const workload::StoredModel model = workload::store(toy_model(toy.classic, layers), "F16");
  const vocabulary::Format cache = workload::kv_format_by_name(toy.kv);
  workload::Trace trace = toy.prefill ? workload::generate_prefill(model, toy.tokens, 0, cache)
                                      : workload::generate_decode(model, toy.tokens, 1, cache);
  std::size_t next = 0;
  for (workload::Operator& op : trace.operators)
    if (auto* product = std::get_if<workload::MatMul>(&op.body))
      product->format = formats[next++ % formats.size()];
  return workload::write_trace(trace);
}

inline std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& t : texts) all += t + "\n";
  return all;
}

class ToySteps {
 public:
  explicit ToySteps(const Value& tree) {
    const auto pid = std::to_string(::getpid());
    folder_ = std::filesystem::temp_directory_path() / ("edgenpu-leaves-" + pid);
    std::filesystem::create_directories(folder_);
    decode_ = save("decode", toy_trace(tree, {false, false, "f16", 20}));
  }
  ~ToySteps() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  ToySteps(const ToySteps&) = delete;
  ToySteps& operator=(const ToySteps&) = delete;

  Probe decode() const { return step(decode_); }
  // Of a trace of one's own.
  Probe of(const std::string& name, const std::string& trace) const { return step(save(name, trace)); }
  // A step counted once, priced by the table of each tree: what `run` and `power` say of joules.
  Probe priced(const Value& tree) const {
    const StepPower base = simulate_power(request_of(decode_), tree, {Femtoseconds(10'000'000'000), false});
    return [base](const Value& changed) {
      check_hardware(changed);
      StepPower p = base;
      p.tree = changed;
      p.table = energy::read_table(*changed.find("energy"));
      std::string text = priced_text(p, energy::Scope::soc_dram) + priced_text(p, energy::Scope::die);
      // Elsewhere than at the conditions of the prices, with other banks and another accumulator.
      if (p.table.conditions) {
        p.table.voltage = 0.9;
        p.table.temperature = 80;
      }
      p.sizes.accumulator_bits = 24;
      for (const std::int64_t kibibytes : {128, 512}) {
        p.sizes.scratchpad_bank = Bytes(kibibytes << 10);
        text += priced_text(p, energy::Scope::soc_dram);
      }
      return text;
    };
  }

 private:
  // What `run` and `power` say of joules, for a table and sizes.
  static std::string priced_text(StepPower& p, energy::Scope scope) {
    p.prices = energy::prices_for(p.table, p.sizes);
    p.energy = energy::price(p.run, p.prices, scope);
    p.blocks = energy::blocks_of(p.table, p.sizes, scope);
    p.components = energy::power_over_time(p.run, p.prices, scope);
    std::string text = report::power_upf(p) + report::accelergy_ert(p) + joined(p.energy.notes);
    for (const double part : energy::split(p.energy, p.prices)) text += fmt::format("{} ", part);
    if (p.blocks.empty()) return text;
    p.by_block = energy::by_block(p.components, p.blocks, p.table);
    return text + report::power_csv(p.by_block) +
           report::power_summary(p, {p.by_block, energy::pack(p.blocks), {}});
  }
  std::string save(const std::string& name, const std::string& text) const {
    const std::string path = (folder_ / (name + ".yaml")).string();
    std::ofstream(path) << text;
    return path;
  }
  static StepRequest request_of(const std::string& trace) {
    StepRequest r;
    r.hardware = "leaves";
    r.trace_file = trace;
    return r;
  }
  static Probe step(const std::string& trace) {
    return [request = request_of(trace)](const Value& tree) {
      result::StepResult r = simulate(request, tree, Process::child);
      for (const result::Check& c : r.checks)
        if (!c.ok) throw InternalError(c.name + ": " + c.detail);
      r.inputs = {};
      r.inputs.resolved_hardware = std::make_shared<const Value>(Value::empty_map({}));
      r.simulation = {};
      return report::json(r, {"", ""});
    };
  }

  std::filesystem::path folder_;
  std::string decode_;
};

// `probe` on a tree with other values laid over it.
inline Probe with(Probe probe, const std::string& over) {
  return [probe = std::move(probe), laid = config::parse_text(over, "variant")](const Value& tree) {
    return probe(config::merge(tree, laid));
  };
}

// What `compare` holds against the step.
inline std::string facts_of(const Value& tree) {
  const simulate_detail::Device device(tree);
  return fmt::format("{} {}", device.kind(), device.tdp() ? device.tdp()->count() : 0);
}

// What `--uncertainty` draws from.
inline std::string ranges_of(const Value& tree) {
  std::string text;
  for (const config::Uncertain& u : config::uncertain_numbers(tree))
    text += fmt::format("{} {} {} {}\n", u.paths.front(), u.value, u.low, u.high);
  return text;
}

// What `edgenpu memory` charges.
inline std::string memory_prices_of(const Value& tree) {
  Diagnostics out;
  const Value* section = config::find_path(tree, "memory.energy");
  if (!section) return "";
  const energy::DramPrices prices = energy::read_dram_prices(*section, out);
  out.throw_if_any();
  energy::DramActivity a;
  a.read_bits = 1000, a.write_bits = 100, a.activates = 10, a.refresh_ab = 1, a.refresh_pb = 2;
  a.rank = Bytes(1 << 20);
  a.active_standby = a.precharge_standby = a.power_down = a.self_refresh = Seconds(1e-6);
  std::string text;
  for (const energy::DramEnergyPart& p : energy::dram_energy(prices, a))
    text += fmt::format("{} {} {} ", p.energy.count(), p.low.count(), p.high.count());
  return text;
}

// Text that says where a number comes from or what a thing is called.
inline bool is_documentation(const std::string& path) {
  for (const char* word : {"source", "note", "confidence", "description"})
    for (const std::string& found : {std::string(word), "." + std::string(word)})
      if (path == found || path.find(found + ".") != std::string::npos ||
          (path.size() > found.size() && path.compare(path.size() - found.size(), found.size(), found) == 0))
        return true;
  return false;
}

}  // namespace edgenpu::test
