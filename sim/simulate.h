// The step pipeline: from inputs to the result of one forward pass. Read this file first.
//
//   hardware YAML ─┐
//   model, quant ──┼─> trace ─> program ─> SystemC run ─> activity ─> energy ─> result
//   phase, context ┘
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/outcome.h"
#include "result/step_result.h"
#include "result/table.h"
#include "workload/trace.h"

namespace edgenpu {

struct StepRequest {
  std::string hardware;                // path of a hardware YAML
  std::vector<std::string> overrides;  // path=value
  std::string model;  // name in models/, or path (workload/model_source.h); not with a trace file
  std::string
      quant;  // "": of a shape, what the chip's toolkit makes, else Q4_K_M; a GGUF file has its own types
  std::string transform;  // name in models/transformations, or path; "": none
  workload::Phase phase = workload::Phase::decode;
  std::int64_t context = 1024, prompt = 512, batch = 1;
  std::string kv = "f16";
  bool burst_detail = false;
  bool memo = true;  // --repeat memo: repeated layers and stretches are simulated once (simulate/memo.h)
  std::string trace_file;  // replays this trace instead of generating one
  std::string data_dir;    // where models/ lies
};

// The trace of a request: generated, or read from its file.
workload::Trace trace_of(const StepRequest& request);

// Throws InputError, InfeasibleError, InternalError.
result::StepResult simulate(const StepRequest& request);

// The hardware of a request: file, overrides, runtime of the quantisation.
config::Value hardware_of(const StepRequest& request);

// How an NPU works through the operators of a step (simulate/plan_table.h). Throws InputError for another
// device, InfeasibleError.
result::Table plan_of(const StepRequest& request);

// What holds of a step before it is simulated, and also if it cannot be.
struct StepFacts {
  std::string kind;  // of the device: npu, cpu, gpu
  std::optional<Watts> tdp;
  double peak_B_per_s = 0;         // of its memory
  double memory_tokens_per_s = 0;  // bound by requested bytes and peak; 0 for ideal memory
};

struct StepOutcome {
  StepFacts facts;
  Outcome<result::StepResult> result;
};

// Many steps, `jobs` at a time (0: one a processor), in the order of the requests. An infeasible step is an
// outcome; other errors are thrown.
std::vector<StepOutcome> simulate_all(const std::vector<StepRequest>& requests, int jobs = 0);

// Where SystemC runs: in a child, or in this process, which can do so once (a study's point has a process
// anyway).
enum class Process { child, own };

// On a hardware tree that is resolved already.
result::StepResult simulate(const StepRequest& request, const config::Value& tree, Process process);

// Throws InputError if a tree is not a hardware description that simulate() accepts.
void check_hardware(const config::Value& tree);

}  // namespace edgenpu
