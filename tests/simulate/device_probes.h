// What a description of a CPU, a GPU or an accelerator is read for, and which of its keys each probe is asked about:
// steps are small, and where bytes take no time every instruction shows.
//
//   device_probes(steps, tree)   in the order in which they are asked; the first one, which is cheap, of every key
#pragma once

#include "simulate/leaf_probes.h"
#include "simulate/toolkit.h"

namespace edgenpu::test {

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
  for (const std::string& mixture : workload::mixture_names()) {
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
  for (const workload::Format format : formats_of(tree))
    for (const std::int64_t width : {4096, 512}) {
      workload::MatMul product{rows, 16, width, format, Bytes(0)};
      product.input_on_chip = true;
      const std::string name = fmt::format("product_{}", trace.operators.size());
      trace.operators.push_back({name, -1, {}, product});
      trace.resident_weights += workload::weight_bytes(trace.operators.back().body);
    }
  return workload::write_trace(trace);
}

inline bool has(const std::string& path, std::initializer_list<const char*> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](const char* part) { return path.find(part) != std::string::npos; });
}

inline std::vector<DeviceProbe> device_probes(const ToySteps& steps, const Value& tree) {
  using Path = const std::string&;
  const char* ideal = "{memory: {ideal: true}}";
  const auto toy = [&](const std::string& name, const Toy& t) { return steps.of(name, toy_trace(tree, t)); };
  const Probe decode = toy("decode_2", {false, false, "f16", 20, 2});
  const Probe classic = toy("classic_1", {true, false, "q8_0", 20, 1});
  const Probe prefill = toy("prefill_1", {false, true, "f16", 24, 1});
  const Probe products = steps.of("products", products_trace(tree, 1));
  const Probe batch = steps.of("batch", products_trace(tree, 24));
  const auto of_function = [](Path p) { return has(p, {".functions."}); };
  const auto of_product = [](Path p) { return has(p, {".formats.", ".row.", ".narrow."}); };
  const auto of_batch = [](Path p) { return has(p, {".batch."}); };
  const auto of_classic = [](Path p) { return has(p, {".layer_norm.", ".gelu."}); };
  const auto of_sampling = [](Path p) { return has(p, {".argmax."}); };
  const auto of_launch = [](Path p) { return has(p, {"launch."}); };
  const auto of_core = [](Path p) { return has(p, {".throughput.", ".issue"}); };
  const auto of_port = [](Path p) { return has(p, {"port_queue"}); };
  const auto of_toolkit = [](Path p) { return has(p, {"toolkit."}); };
  const auto other = [=](Path p) {
    return !of_function(p) && !of_product(p) && !of_batch(p) && !of_port(p) && !of_toolkit(p) && !of_core(p);
  };
  std::vector<DeviceProbe> probes = {
      {read_as_a_whole, [](Path) { return true; }},
      {made_by_toolkit, of_toolkit},
      {with(products, ideal), [=](Path p) { return (of_product(p) && !of_batch(p)) || of_core(p); }},
      {with(batch, ideal), [=](Path p) { return of_batch(p) || has(p, {".throughput.tensor"}); }},
      {with(decode, ideal), [=](Path p) { return of_function(p) && !of_classic(p) && !of_sampling(p); }},
      {with(classic, ideal), of_classic},
      {decode, other},
      {prefill, [=](Path p) { return other(p) && !of_launch(p); }},
      // Requests wait at a channel's ports only while its window is full.
      {with(decode, "{memory: {controller: {read_queue: 2}}}"), of_port}};
  // A kernel samples.
  probes.push_back(
      {with(decode, "{memory: {ideal: true}, runtime: {launch: {per_logit: 0 ns}}}"), of_sampling});
  if (tree.find("cores")) return probes;  // of a CPU, which launches nothing
  const bool graph = config::find_path(tree, "runtime.launch.graph")->text() == "true";
  probes.push_back({with(decode, fmt::format("{{runtime: {{launch: {{graph: {}}}}}}}", !graph)), of_launch});
  return probes;
}

}  // namespace edgenpu::test
