#include "cli/step_options.h"

#include "base/error.h"

namespace edgenpu::cli {

void add_workload_options(po::options_description& options) {
  options.add_options()                                                                    //
      ("model", name_or_file(), "name in models/, model YAML, config.json, or GGUF file")  //
      ("quant", po::value<std::string>(),
       "quantisation mixture of a shape [what the chip's toolkit makes, else Q4_K_M]; a GGUF file has its "
       "own")  //
      ("transform", name_or_file(),
       "transformation of the model: name or YAML (models/transformations/)")                            //
      ("phase", po::value<std::string>()->default_value("decode"), "decode or prefill")                  //
      ("context", po::value<std::string>(), "tokens cached before the step [decode: 1024, prefill: 0]")  //
      ("prompt", po::value<std::string>()->default_value("512"), "prefill: new tokens")                  //
      ("batch", po::value<std::string>()->default_value("1"), "decode: requests in the step")            //
      ("kv", po::value<std::string>()->default_value("f16"), "format of the KV cache: f16, q8_0 or q4_0");
}

const std::vector<std::string>& workload_options() {
  static const std::vector<std::string> names = {"model",   "quant",  "transform", "phase",
                                                 "context", "prompt", "batch",     "kv"};
  return names;
}

void read_workload_options(const po::variables_map& values, StepRequest& request) {
  request.model = required(values, "model", "a name in models/, a model YAML, a config.json or a GGUF file");
  if (values.count("quant")) request.quant = values["quant"].as<std::string>();
  if (values.count("transform")) request.transform = values["transform"].as<std::string>();
  const bool prefill = choice_of(values, "phase", {"decode", "prefill"}) == "prefill";
  request.phase = prefill ? workload::Phase::prefill : workload::Phase::decode;
  request.context = values.count("context") ? count_of(values, "context", 0) : (prefill ? 0 : 1024);
  if (!prefill && !values["prompt"].defaulted())
    throw InputError({"--prompt", 0, 0},
                     "a decode step has no new prompt: add --phase prefill, or say with "
                     "--context how many tokens are cached");
  if (prefill && !values["batch"].defaulted())
    throw InputError({"--batch", 0, 0}, "a prefill step is of one request; --batch is for decode");
  request.prompt = count_of(values, "prompt", 1);
  request.batch = count_of(values, "batch", 1);
  request.kv = values["kv"].as<std::string>();
  request.data_dir = data_dir();
}

void add_step_options(po::options_description& options) {
  options.add_options()("hardware", name_or_file(), "name in hw_configs/, or a hardware YAML");
  add_workload_options(options);
  options.add_options()                                                            //
      ("trace", input_file(), "replay this trace file instead of a model's step")  //
      ("set", po::value<std::vector<std::string>>()->composing(),
       "path=value: override part of the hardware");
}

void add_detail_option(po::options_description& options) {
  options.add_options()("detail", po::value<std::string>()->default_value("row"),
                        "memory model: row (fast) or burst (reference)");
}

void add_simulation_options(po::options_description& options) {
  add_detail_option(options);
  options.add_options()(
      "repeat", po::value<std::string>()->default_value("memo"),
      "memo: simulate repeated layers and stretches once and extrapolate; full: simulate all");
}

StepRequest step_request(const po::variables_map& values) {
  StepRequest request;
  request.hardware = required(values, "hardware",
                              "a name in hw_configs/ or a hardware YAML, for example npu-raiderchip-asic");
  request.data_dir = data_dir();
  request.overrides = settings_of(values);
  if (values.count("detail")) request.burst_detail = choice_of(values, "detail", {"row", "burst"}) == "burst";
  if (values.count("repeat")) request.memo = choice_of(values, "repeat", {"memo", "full"}) == "memo";
  if (values.count("trace")) {
    refuse(values, workload_options(), "a trace (--trace) is one step of one model already; leave it out");
    request.trace_file = values["trace"].as<std::string>();
  } else {
    read_workload_options(values, request);
  }
  return request;
}

}  // namespace edgenpu::cli
