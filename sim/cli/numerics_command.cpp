#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <iostream>

#include "base/error.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "config/resolve.h"
#include "numerics/run.h"
#include "report/output.h"
#include "simulate.h"

namespace edgenpu::cli {

namespace {

using numerics::ArithmeticKind;
using numerics::NumericsRequest;
using numerics::NumericsResult;
using numerics::RunMode;

constexpr const char* kUsage =
    "Usage: edgenpu numerics --gguf FILE --tokens \"1 2 3\" [options]\n"
    "       edgenpu numerics --gguf FILE --quantisers TENSOR\n"
    "Runs the model over the tokens and compares its logits with those of float arithmetic; or compares "
    "quantisers on a tensor.";
constexpr const char* kExample =
    "edgenpu numerics --gguf tests/data/tiny_models/tiny_llama.Q4_K_M.gguf --tokens \"1 300 17\" "
    "--arithmetic ggml";

po::options_description options() {
  po::options_description o("Options", 110);
  o.add_options()                                                                 //
      ("help", "this text")                                                       //
      ("gguf", input_file(), "the model")                                         //
      ("tokens", po::value<std::string>(), "token numbers, separated by spaces")  //
      ("mode", po::value<std::string>()->default_value("prefill"),
       "prefill (all tokens at once) or decode (one after the other)")  //
      ("greedy", po::value<std::string>()->default_value("0"),
       "decode: tokens that the model adds by itself")  //
      ("arithmetic", po::value<std::string>()->default_value("float"),
       "float: weights decoded, nothing else rounded; ggml: as llama.cpp's CPU; npu: the engine's own")  //
      ("hardware", name_or_file(), "npu: name in hw_configs/ or YAML, with a section 'arithmetic'")      //
      ("set", po::value<std::vector<std::string>>()->composing(),
       "path=value: override part of the hardware (arithmetic.accumulator_bits=20)")  //
      ("kv", po::value<std::string>(),
       "format of the KV cache: f32, f16, q8_0, q4_0; default f32 for float, else f16")  //
      ("logits", output_file(),
       "write little-endian float32 [tokens][vocabulary] to a file, or to standard output (-)")     //
      ("operators", po::bool_switch(), "report each product's own error against float arithmetic")  //
      ("no-compare", po::bool_switch(), "do not run float arithmetic for comparison")               //
      ("quantisers", po::value<std::string>(), "compare quantisers on the values of this tensor");
  return o;
}

std::vector<std::int32_t> tokens_of(const std::string& text) {
  std::vector<std::int32_t> tokens;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    at = std::find_if(at, end, [](char c) { return c != ' ' && c != ',' && c != '\n' && c != '\t'; });
    if (at == end) return tokens;
    std::int32_t token = 0;
    const auto [next, error] = std::from_chars(at, end, token);
    const std::string word(at, std::find_if(at, end, [](char c) { return c == ' ' || c == ','; }));
    if (error != std::errc() || next == at)
      throw InputError(Position{"--tokens"}, "found '" + word + "'; whole numbers are allowed");
    if (next != end && *next != ' ' && *next != ',' && *next != '\n' && *next != '\t')
      throw InputError(Position{"--tokens"}, "found '" + word + "'; whole numbers are allowed");
    tokens.push_back(token);
    at = next;
  }
}

vocabulary::Format kv_of(const po::variables_map& values) {
  std::string name = choice_of(values, "kv", {"f32", "f16", "q8_0", "q4_0"});
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::toupper(c); });
  return *vocabulary::format_by_name(name);
}

void read_engine(const po::variables_map& values, NumericsRequest& request) {
  const bool npu = request.arithmetic == ArithmeticKind::npu;
  if (!npu) return refuse(values, {"hardware", "set"}, "goes with --arithmetic npu");
  const std::string path =
      required(values, "hardware", "the name or YAML of the engine whose arithmetic is meant");
  const config::Value tree =
      config::load_hardware_tree(path, settings_of(values), "", config::shipped_hardware(data_dir()));
  const config::Value* kind = tree.find("kind");
  if (!kind || kind->text() != "npu")
    throw InputError(kind ? kind->position() : tree.position(),
                     "found kind " + (kind ? describe(*kind) : "nothing") +
                         "; --arithmetic npu needs hardware of kind npu");
  check_hardware(tree);
  request.engine = numerics::read_npu_arithmetic(tree);
}

NumericsRequest request_of(const po::variables_map& values) {
  NumericsRequest request;
  request.gguf = required(values, "gguf", "the model's file");
  request.tokens = tokens_of(required(values, "tokens", "token numbers, for example \"1 300 17\""));
  request.mode =
      choice_of(values, "mode", {"prefill", "decode"}) == "decode" ? RunMode::decode : RunMode::prefill;
  request.greedy_steps = count_of(values, "greedy", 0);
  const std::string arithmetic = choice_of(values, "arithmetic", {"float", "ggml", "npu"});
  request.arithmetic = arithmetic == "ggml"  ? ArithmeticKind::ggml
                       : arithmetic == "npu" ? ArithmeticKind::npu
                                             : ArithmeticKind::float32;
  read_engine(values, request);
  if (values.count("kv")) request.kv = kv_of(values);
  request.operators = values["operators"].as<bool>();
  request.compare = !values["no-compare"].as<bool>();
  return request;
}

std::string text_of(const NumericsResult& result, const po::variables_map& values) {
  std::string text =
      fmt::format("{}, {} tokens, {}, {} arithmetic, vocabulary {}, KV cache {} B\n\n",
                  one_line(result.architecture), result.tokens.size(), values["mode"].as<std::string>(),
                  values["arithmetic"].as<std::string>(), result.vocabulary, result.kv_bytes);
  text += fmt::format("{:>9} {:>9} {:>9} {:>12}\n", "position", "token", "choice", "its logit");
  for (std::size_t i = 0; i < result.tokens.size(); ++i) {
    const auto at =
        i * static_cast<std::size_t>(result.vocabulary) + static_cast<std::size_t>(result.choices[i]);
    text += fmt::format("{:>9} {:>9} {:>9} {:>12.6f}\n", i, result.tokens[i], result.choices[i],
                        result.logits[at]);
  }
  if (result.accuracy) {
    const numerics::Accuracy& a = *result.accuracy;
    text += fmt::format(
        "\nagainst float arithmetic with an F32 KV cache, {} positions:\n"
        "  top-1 agreement {:.4f}\n  rms {:.6g}\n  max {:.6g}\n  KL {:.6g} nats, worst position {:.6g}\n",
        a.positions, a.top1, a.rms, a.largest, a.kl, a.worst_kl);
    if (a.not_finite > 0)
      text +=
          fmt::format("  {} positions are not finite; they agree with nothing and are left out of the rest\n",
                      a.not_finite);
  }
  if (result.operators.empty()) return text;
  text += fmt::format("\n{:<40} {:>14} {:>14}\n", "product on its own inputs", "relative rms", "max");
  for (const numerics::OperatorRow& row : result.operators)
    text += fmt::format("{:<40} {:>14.4e} {:>14.4e}\n", one_line(row.name), row.relative_rms, row.largest);
  return text;
}

}  // namespace

int numerics_command(const Arguments& arguments) {
  po::variables_map values;
  if (parse(arguments, options(), kUsage, kExample, values)) return 0;
  if (values.count("quantisers")) {
    refuse(values,
           {"tokens", "mode", "greedy", "arithmetic", "hardware", "set", "kv", "logits", "operators",
            "no-compare"},
           "does not go with --quantisers, which runs no model");
    report::print(numerics::compare_quantisers_on(required(values, "gguf", "the model's file"),
                                                  values["quantisers"].as<std::string>()));
    return 0;
  }
  const NumericsResult result = numerics::run_numerics(request_of(values));
  const std::string logits = values.count("logits") ? values["logits"].as<std::string>() : "";
  if (!logits.empty())
    report::write_output(
        logits, {reinterpret_cast<const char*>(result.logits.data()), result.logits.size() * sizeof(float)});
  if (logits == "-")
    std::cerr << visible(text_of(result, values));
  else
    report::print(text_of(result, values));
  return 0;
}

}  // namespace edgenpu::cli
