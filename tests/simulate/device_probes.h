// What a description of a CPU, a GPU or an accelerator is read for, and which of its keys each probe is asked about:
// steps are small, and where bytes take no time every instruction shows.
//
//   device_probes(steps, tree)   in the order in which they are asked; the first one, which is cheap, of every key
#pragma once

#include "simulate/leaf_probes.h"
#include "simulate/toolkit.h"

namespace edgenpu::test {

// Keys that only some of the shipped descriptions and runtimes have.
inline constexpr const char* kOptionalOfCpu = R"yaml(
core: {peak: {bf16: 16, source: "assumed: a test"}}
cache: {port: 12 GB/s, source: "assumed: a test"}
runtime:
  launches: {attention: 3, source: "assumed: a test"}
  kernels:
    neon_dotprod:
      narrow: {below: {Q4_K: 2048}, row: {simd: 8, load: 8, scalar: 40, source: "assumed: a test"}}
      per_head: {simd: 64, load: 16, scalar: 8, source: "assumed: a test"}
)yaml";
inline constexpr const char* kOptionalOfGpu = R"yaml(
host: {speed: 0.8, source: "assumed: a test"}
multiprocessor: {matrix: lanes}
cache: {port: 60 GB/s, source: "assumed: a test"}
runtime:
  launch: {per_layer: 20 us, source: {per_layer: "assumed: a test"}}
  launches: {attention: 2, source: "assumed: a test"}
  kernels:
    cuda:
      per_head: {integer: 64, load: 16, float: 32, source: "assumed: a test"}
)yaml";
// Matrix kernels without tensor units.
inline constexpr const char* kBatchOfGpu = R"yaml(
runtime: {kernels: {cuda: {batch: {formats: {Q4_K: {integer: 64, load: 16, source: "assumed: a test"}}}}}}
)yaml";

struct DeviceProbe {
  Probe ask;
  std::function<bool(const std::string& path)> about;
};

// That the description is right as a whole, and what `compare` holds against the step.
inline std::string read_as_a_whole(const Value& tree) {
  check_hardware(tree);
  return facts_of(tree);
}

// What a shape is stored in where the user names nothing, and what the toolkit says of each quantisation.
inline std::string made_by_toolkit(const Value& tree) {
  if (!tree.find("toolkit")) return "";
  StepRequest request;
  request.model = "smollm2-135m";
  std::string text = simulate_detail::with_default_quant(request, tree).quant + "\n";
  for (const std::string& mixture : vocabulary::mixture_names()) {
    workload::Trace trace;
    trace.quant = mixture;
    const Probe checked = [&](const Value& t) {
      simulate_detail::check_toolkit(trace, t);
      return mixture;
    };
    text += ask(checked, tree).error.value_or(mixture) + "\n";
  }
  return text;
}

// A product of each format in long rows, and one in short rows.
inline std::string products_trace(const Value& tree, std::int64_t rows) {
  workload::Trace trace;
  trace.model = trace.quant = "products";
  trace.phase = rows == 1 ? workload::Phase::decode : workload::Phase::prefill;
  trace.tokens = rows;
  for (const vocabulary::Format format : formats_of(tree))
    for (const std::int64_t width : {4096, 512}) {
      const workload::MatMul product{rows, 16, width, format, Bytes(0)};
      const std::string name = fmt::format("product_{}", trace.operators.size());
      trace.operators.push_back({name, -1, {}, product});
      trace.operators.back().input_on_chip = true;
      trace.resident_weights += workload::weight_bytes(trace.operators.back().body);
    }
  return workload::write_trace(trace);
}

// Keys whose path holds one of `any` and none of `but`.
inline std::function<bool(const std::string&)> about(const std::vector<std::string>& any,
                                                     const std::vector<std::string>& but = {}) {
  return [=](const std::string& path) {
    const auto has = [&](const std::string& part) { return path.find(part) != std::string::npos; };
    return std::any_of(any.begin(), any.end(), has) && std::none_of(but.begin(), but.end(), has);
  };
}

inline std::vector<DeviceProbe> device_probes(const ToySteps& steps, const Value& tree) {
  const char* ideal = "{memory: {ideal: true}}";
  const auto toy = [&](const std::string& name, const Toy& t) { return steps.of(name, toy_trace(tree, t)); };
  const Probe decode = toy("decode_2", {false, false, "f16", 20, 2});
  const Probe classic = toy("classic_1", {true, false, "q8_0", 20, 1});
  const Probe prefill = toy("prefill_1", {false, true, "f16", 24, 1});
  const Probe longer = toy("decode_1_long", {false, false, "f16", 300, 1});
  const Probe products = steps.of("products", products_trace(tree, 1));
  const Probe batch = steps.of("batch", products_trace(tree, 24));
  const std::vector<std::string> of_core = {".formats.",    ".row.",  ".narrow.",
                                            ".throughput.", ".issue", ".peak."};
  const std::vector<std::string> elsewhere = {".functions.", ".batch.", "port_queue", "toolkit."};
  const auto but_for = [&](std::vector<std::string> more) {
    more.insert(more.end(), of_core.begin(), of_core.end());
    more.insert(more.end(), elsewhere.begin(), elsewhere.end());
    return about({""}, more);
  };
  std::vector<DeviceProbe> probes = {
      {read_as_a_whole, about({""})},
      {made_by_toolkit, about({"toolkit."})},
      {with(products, ideal), about(of_core, {".batch."})},
      {with(batch, ideal), about({".batch.", ".throughput.tensor", ".matrix"})},
      {with(decode, ideal), about({".functions."}, {".layer_norm.", ".gelu.", ".argmax."})},
      {with(classic, ideal), about({".layer_norm.", ".gelu."})},
      {decode, but_for({})},
      {prefill, but_for({"launch."})},
      // Requests wait at a channel's ports only while its window is full.
      {with(decode, "{memory: {controller: {read_queue: 2}}}"), about({"port_queue"})},
      // Attention is divided where its heads are fewer than what the device can take.
      {with(longer, ideal), about({"block.tokens"})},
      // A kernel samples.
      {with(decode, "{memory: {ideal: true}, runtime: {launch: {per_logit: 0 ns}}}"), about({".argmax."})}};
  if (tree.find("cores")) return probes;  // of a CPU, which launches nothing
  const bool graph = config::find_path(tree, "runtime.launch.graph")->text() == "true";
  const std::string other = fmt::format("{{runtime: {{launch: {{graph: {}}}}}}}", !graph);
  probes.push_back({with(decode, other), about({"launch."})});
  return probes;
}

}  // namespace edgenpu::test
