#include "evidence/bench_check.h"

#include <cmath>
#include <fmt/format.h>
#include <regex>

#include "evidence/mapping_rule.h"
#include "workload/mixture.h"
#include "workload/model.h"
#include "workload/tensors.h"

namespace edgenpu::evidence {

namespace {

using config::Value;

// Stand-ins are within 3 % of their models; neighbours of one name further apart (a Mistral 7B has 7 % more
// parameters than a Llama 7B).
constexpr double kOtherModel = 0.05;
// Metadata and rounding, and what is as much of an error in the rate.
constexpr double kSameBytes = 0.02, kOtherBytes = 0.1;

std::string name_in(const Value& tree, const char* path) {
  const Value* v = config::find_path(tree, path);
  return v && v->is_scalar() ? v->text() : "";
}

std::string other_device(const Mapped& m, const BenchFacts& facts, const Value& tree) {
  const std::string kind = name_in(tree, "kind"), runtime = name_in(tree, "runtime.name");
  if (kind == m.kind && (m.runtime.empty() || std::regex_search(runtime, std::regex(m.runtime)))) return "";
  return fmt::format("measured with the back end {}; the hardware is of kind {} and runs {}", facts.backends,
                     kind, runtime.empty() ? "no runtime" : runtime);
}

std::string other_threads(const Measurement& row, Mapped& m, const Value& tree) {
  if (m.kind != "cpu") return "";
  const std::string cores = name_in(tree, "cores");
  if (!row.threads)
    m.notes.push_back("the number of threads is not stated: all " + cores + " cores taken");
  else if (std::to_string(*row.threads) != cores)
    return fmt::format("{} threads, of which the description has cores for {}", *row.threads, cores);
  return "";
}

std::string other_layers(const BenchFacts& facts, const Mapped& m, const workload::Model& model) {
  if (m.kind != "gpu" || !facts.gpu_layers) return "";
  const std::int64_t layers = *facts.gpu_layers;
  if (layers < 0 || layers > model.layers) return "";  // the output layer is one more
  return fmt::format("{} of {} layers on the GPU, the others on the CPU (n_gpu_layers)", layers,
                     model.layers + 1);
}

double bytes_of(const workload::Model& model, const std::string& quant) {
  double sum = 0;
  for (const workload::StoredTensor& t : workload::stored_tensors(model, workload::mixture_by_name(quant)))
    sum += static_cast<double>(t.bytes().count());
  return sum;
}

// The one of two that is nearer to what the file has: an output head of its own may be stored beside a tied
// embedding.
template <class Of>
double apart(double stated, const workload::Model& model, Of of) {
  double least = stated / of(model) - 1;
  if (!model.tied_embeddings) return least;
  workload::Model untied = model;
  untied.tied_embeddings = false;
  const double other = stated / of(untied) - 1;
  return std::abs(other) < std::abs(least) ? other : least;
}

std::string other_weights(const BenchFacts& facts, Mapped& m, const workload::Model& model) {
  if (facts.parameters) {
    const double e = apart(static_cast<double>(*facts.parameters), model, [](const workload::Model& x) {
      return static_cast<double>(workload::parameters(x));
    });
    if (std::abs(e) > kOtherModel)
      return fmt::format("the file has {:.3f} G parameters, {} has {:.3f} G: another model",
                         static_cast<double>(*facts.parameters) * 1e-9, m.request.model,
                         static_cast<double>(workload::parameters(model)) * 1e-9);
  }
  if (!facts.file_bytes) return "";
  const double e = apart(static_cast<double>(*facts.file_bytes), model,
                         [&](const workload::Model& x) { return bytes_of(x, m.request.quant); });
  const std::string text = fmt::format("the file's weights have {} B, {:+.1f} % against {} of this shape",
                                       *facts.file_bytes, 100 * e, m.request.quant);
  if (std::abs(e) > kOtherBytes) return text + ": another mixture";
  if (std::abs(e) > kSameBytes) m.notes.push_back(text);
  return "";
}

}  // namespace

std::vector<config::Override> bench_overrides(const Measurement& row, const Mapped& m) {
  if (!row.bench || !row.bench->flash_attention || m.kind != "gpu") return {};
  const char* launches = *row.bench->flash_attention == 0
                             ? "{value: 4, source: \"products with K, softmax, products with V, a copy\"}"
                             : "{value: 1, source: \"flash attention\"}";
  return {{"runtime.launches.attention", config::parse_text(launches, "flash_attn of the row")}};
}

std::string refused_bench(const Measurement& row, Mapped& m, const Value& hardware) {
  if (!row.bench) return "";
  const BenchFacts& facts = *row.bench;
  if (std::string why = other_device(m, facts, hardware); !why.empty()) return why;
  if (std::string why = other_threads(row, m, hardware); !why.empty()) return why;
  if (m.kind == "gpu" && row.prefill_tok_s && facts.flash_attention.value_or(1) == 0)
    return "a prompt without flash attention on a GPU: its scores go through memory, which is not simulated";
  const workload::Model model = workload::find_model(m.request.model, m.request.data_dir);
  if (std::string why = other_layers(facts, m, model); !why.empty()) return why;
  return other_weights(facts, m, model);
}

}  // namespace edgenpu::evidence
