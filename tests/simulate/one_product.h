// Steps of one matrix product on the shipped devices.
#pragma once

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>
#include <vector>

#include "simulate.h"
#include "support/shipped.h"
#include "workload/trace_file.h"

namespace edgenpu::test {

struct OneProduct {
  std::int64_t m = 1, n = 256, k = 256;
  vocabulary::Format format = vocabulary::format_named("W8");
  bool input_on_chip = false;
};

inline workload::Trace trace_of(const OneProduct& p) {
  workload::Trace t;
  t.model = "one product";
  t.quant = vocabulary::info(p.format).name;
  t.phase = p.m == 1 ? workload::Phase::decode : workload::Phase::prefill;
  t.tokens = p.m;
  workload::MatMul body{p.m, p.n, p.k, p.format, Bytes(0)};
  t.operators.push_back({"product", -1, {}, body});
  t.operators.back().input_on_chip = p.input_on_chip;
  t.resident_weights = workload::weight_bytes(t.operators[0].body);
  return t;
}

inline result::StepResult run_trace(const workload::Trace& trace, const std::string& hardware,
                                    const std::vector<std::string>& overrides, bool memo) {
  const std::string path =
      std::filesystem::temp_directory_path() / ("edgenpu-product-" + std::to_string(getpid()) + ".yaml");
  std::ofstream(path) << workload::write_trace(trace);
  StepRequest r;
  r.data_dir = EDGENPU_SOURCE_DIR;
  r.hardware = test::hardware_file(hardware);
  r.trace_file = path;
  r.memo = memo;
  r.overrides = overrides;
  result::StepResult result = simulate(r);
  std::filesystem::remove(path);
  return result;
}

inline result::StepResult run_product(const OneProduct& p, const std::string& hardware,
                                      const std::vector<std::string>& overrides = {}, bool memo = false) {
  return run_trace(trace_of(p), hardware, overrides, memo);
}

inline std::int64_t count(const result::StepResult& r, const std::string& name) {
  for (const result::NamedCount& c : r.counts)
    if (c.name == name) return c.value;
  ADD_FAILURE() << "no count " << name;
  return 0;
}

inline std::string failed_checks(const result::StepResult& r) {
  std::string failed;
  for (const result::Check& c : r.checks)
    if (!c.ok) failed += c.name + ": " + c.detail + "\n";
  return failed;
}

}  // namespace edgenpu::test
