#include "evidence/llama_bench.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "base/suggest.h"
#include "config/reader.h"
#include "evidence/bench_rows.h"

namespace edgenpu::evidence {

namespace {

using config::MapReader;
using config::Value;

constexpr config::RealRange kRate{1e-9, 1e9};
constexpr config::IntRange kTokens{0, 100'000'000}, kSome{1, 100'000'000}, kLarge{0, 4'000'000'000'000'000},
    kSigned{-1'000'000, 1'000'000};
constexpr std::int64_t kBatch = 2048, kUbatch = 512;  // llama-bench's defaults

// Written true, 1, or not at all.
bool flag(MapReader& r, const char* key) {
  const std::string text = r.text(key, "false");
  return text != "false" && text != "0" && !text.empty();
}

// Older builds wrote it as a boolean.
std::optional<std::int64_t> flash_attention(MapReader& r) {
  r.accept("flash_attn");
  if (!r.has("flash_attn")) return std::nullopt;
  const std::string text = r.text("flash_attn");
  if (text == "true" || text == "false") return text == "true";
  return r.integer("flash_attn", {-1, 2});
}

std::optional<std::int64_t> count(MapReader& r, const char* key, config::IntRange range) {
  r.accept(key);
  return r.has(key) ? std::optional(r.integer(key, range)) : std::nullopt;
}

bool is_in(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void leave_out(Measurement& m, const std::string& why) {
  m.left_out += (m.left_out.empty() ? "" : "; ") + why;
}

// "/models/Qwen3-4B-Q4_K_M.gguf" or with backslashes -> "Qwen3-4B-Q4_K_M"
std::string stem_of(const std::string& filename) {
  std::string stem = filename.substr(filename.find_last_of("/\\") + 1);
  if (const auto dot = stem.rfind(".gguf"); dot != std::string::npos) stem.resize(dot);
  return stem;
}

// "qwen3moe 30B.A3B Q8_0": architecture, size, type of the weights.
struct ModelType {
  std::string architecture, size, weights;
};

ModelType parse_type(const std::string& text) {
  const std::size_t first = std::min(text.find(' '), text.size());
  const std::size_t second = std::min(text.find(' ', std::min(first + 1, text.size())), text.size());
  ModelType t{text.substr(0, first), "", ""};
  if (first < text.size()) t.size = text.substr(first + 1, second - first - 1);
  if (second < text.size()) t.weights = text.substr(second + 1);
  if (const std::string guess = "(guessed)"; t.weights.rfind(guess, 0) == 0)
    t.weights = t.weights.substr(std::min(t.weights.find_first_not_of(' ', guess.size()), t.weights.size()));
  if (t.weights.rfind("unknown", 0) == 0) t.weights.clear();
  return t;
}

// A file in a store is named by its content.
bool is_digest(const std::string& stem) {
  static const std::regex digest("(sha256[-:])?[0-9a-fA-F]{32,}");
  return std::regex_match(stem, digest);
}

void read_model(MapReader& r, Measurement& m) {
  const std::string stem = stem_of(r.text("model_filename", ""));
  const std::string type_text = r.text("model_type", "");
  const ModelType type = parse_type(type_text);
  BenchFacts& facts = *m.bench;
  facts.architecture = type.architecture;
  facts.named = !stem.empty() && !is_digest(stem);
  facts.parameters = count(r, "model_n_params", kLarge);
  facts.file_bytes = count(r, "model_size", kLarge);
  m.model = facts.named ? stem : type.architecture + " " + type.size;
  m.quant = type.weights.empty() ? stem : type.weights;
  if (stem.empty() && type_text.empty())
    r.error("model_type", "is missing, and so is model_filename: one of them says which model this is");
  static const std::regex own("(^|[-_.])(ud-|q[0-9]_k_(l|xl))", std::regex::icase);
  if (facts.named && std::regex_search(stem, own))
    m.row_notes.push_back("the file's name says a mixture of its own: taken as " + m.quant);
}

std::string backends_of(MapReader& r) {
  std::string names = r.text("backends", r.text("backend", ""));
  // Before `backends` there was a flag for each.
  const std::pair<const char*, const char*> flags[] = {
      {"cuda", "CUDA"}, {"vulkan", "Vulkan"}, {"kompute", "Kompute"}, {"metal", "Metal"}, {"sycl", "SYCL"},
      {"rpc", "RPC"},   {"opencl", "OpenCL"}, {"gpu_blas", ""},       {"blas", "BLAS"}};
  std::string old;
  bool any = false;
  for (const auto& [key, name] : flags) {
    any = any || r.has(key);
    if (flag(r, key) && *name && old.empty()) old = name;
  }
  return names.empty() && any ? (old.empty() ? "CPU" : old) : names;
}

void read_cache(MapReader& r, Measurement& m) {
  const bool half = r.text("f16_kv", "true") != "false" && r.text("f16_kv", "1") != "0";
  const std::string keys = r.text("type_k", half ? "f16" : "f32"),
                    values = r.text("type_v", half ? "f16" : "f32");
  const std::vector<std::string> known = {"f16", "q8_0", "q4_0"};
  if (keys != values)
    leave_out(m, "keys in " + keys + " and values in " + values + ": one format for both is simulated");
  else if (!is_in(known, keys))
    leave_out(m, "a cache in " + keys + " is not simulated; these are: " + join(known));
  else
    m.kv = keys;
}

// "0xf0": how many cores may run threads; 0: all.
int cores_in(const std::string& mask) {
  int cores = 0;
  const std::size_t from = mask.rfind("0x", 0) == 0 ? 2 : 0;
  for (std::size_t i = from; i < mask.size(); ++i) {
    const char c = static_cast<char>(std::tolower(static_cast<unsigned char>(mask[i])));
    const int digit = c >= 'a' ? c - 'a' + 10 : c - '0';
    for (int bit = 1; bit < 16; bit *= 2) cores += (digit & bit) != 0;
  }
  return cores;
}

void read_threads(MapReader& r, Measurement& m) {
  m.threads = count(r, "n_threads", kSome);
  const std::string mask = r.text("cpu_mask", "");
  static const std::regex hexadecimal("(0x)?[0-9a-fA-F]*");
  if (!std::regex_match(mask, hexadecimal)) {
    r.error("cpu_mask", "'" + mask + "' is no hexadecimal number");
  } else if (const int cores = cores_in(mask); cores > 0) {
    m.row_notes.push_back("threads on the cores of the mask " + mask);
    if (m.threads && *m.threads > cores)
      leave_out(m, fmt::format("{} threads share the {} cores of the mask {}", *m.threads, cores, mask));
    else if (!m.threads)
      m.threads = cores;
  }
  if (count(r, "poll", {0, 100}).value_or(1) == 0)
    leave_out(m,
              "threads sleep between operators (poll 0): the barriers of the descriptions are of threads "
              "that spin");
}

bool is_default(const std::string& text) {
  static const std::set<std::string> defaults = {"", "none", "auto", "0", "0.00"};
  return defaults.count(text) > 0;
}

// "0.50/0.00/0.50": 2
int shares_in(const std::string& split) {
  int shares = 0;
  std::istringstream parts(split);
  for (std::string part; std::getline(parts, part, '/');)
    shares += part.find_first_of("123456789") != std::string::npos;
  return shares;
}

void read_places(MapReader& r, Measurement& m) {
  m.bench->gpu_layers = count(r, "n_gpu_layers", kSigned);
  if (const auto n = count(r, "n_cpu_moe", kSigned).value_or(0); n > 0)
    leave_out(m, fmt::format("the experts of {} layers were computed by the CPU (n_cpu_moe)", n));
  for (const char* key : {"no_kv_offload", "low_vram"})
    if (flag(r, key)) leave_out(m, std::string("the cache was not with the weights (") + key + ")");
  if (const std::string text = r.text("devices", ""); text.find('/') != std::string::npos || text == "none")
    leave_out(m, "computed on these devices: " + text + "; one that computes all is simulated");
  if (const std::string text = r.text("tensor_split", ""); shares_in(text) > 1)
    leave_out(m, "the model was split among devices (tensor_split " + text + ")");
  if (const std::string text = r.text("tensor_buft_overrides", ""); !is_default(text))
    leave_out(m, "tensors were placed by hand (tensor_buft_overrides " + text + ")");
  if (count(r, "fit_target", kLarge).value_or(0) != 0)
    leave_out(m, "layers were placed by what fitted (fit_target): how many is not stated");
  if (flag(r, "embeddings")) leave_out(m, "embeddings were computed in place of logits");
  if (r.has("mul_mat_q") && !flag(r, "mul_mat_q"))
    leave_out(m, "products were computed without the kernels for quantised weights (mul_mat_q)");
}

// Prompt or generation, where, and how fast.
void read_test(MapReader& r, Measurement& m) {
  const std::int64_t prompt = r.integer("n_prompt", kTokens, 0), gen = r.integer("n_gen", kTokens, 0);
  m.depth = r.integer("n_depth", kTokens, 0);
  m.at_once = std::min(r.integer("n_batch", kSome, kBatch), r.integer("n_ubatch", kSome, kUbatch));
  const double rate = r.real("avg_ts", kRate);
  m.id = m.model;
  if (prompt > 0 || gen == 0) m.id += fmt::format(" pp{}", prompt);
  if (gen > 0) m.id += fmt::format("{}tg{}", prompt > 0 ? "+" : " ", gen);
  if (m.depth > 0) m.id += fmt::format(" @ d{}", m.depth);
  if (prompt == 0 && gen == 0) leave_out(m, "neither a prompt nor a generation: n_prompt and n_gen are 0");
  if (prompt > 0 && gen > 0)
    leave_out(m, "a test of prompt and generation together; each alone can be compared");
  if (prompt > 0) m.prompt = prompt;
  if (gen > 0) m.generated = gen;
  m.context = m.depth + gen / 2;
  (gen > 0 ? m.decode_tok_s : m.prefill_tok_s) = rate;
}

Measurement read_one(const Value& test, const std::string& path, const std::string& device,
                     std::map<std::string, int>& unknown, Diagnostics& out) {
  MapReader r(test, out, "the test", config::Provenance::optional);
  Measurement m;
  m.position = test.position();
  m.device = device;
  m.source = path;
  m.bench.emplace();
  read_model(r, m);
  m.bench->backends = backends_of(r);
  m.runtime = "llama.cpp llama-bench " + m.bench->backends;
  if (const auto build = count(r, "build_number", kLarge)) m.runtime += fmt::format(" b{}", *build);
  m.bench->flash_attention = flash_attention(r);
  read_cache(r, m);
  read_threads(r, m);
  read_places(r, m);
  read_test(r, m);
  for (const Value::Entry& e : test.entries())
    if (!is_in(used_bench_fields(), e.key) && !is_in(irrelevant_bench_fields(), e.key)) ++unknown[e.key];
  return m;
}

}  // namespace

const std::vector<std::string>& used_bench_fields() {
  static const std::vector<std::string> fields = {
      "backends",       "backend",    "cuda",          "vulkan",
      "kompute",        "metal",      "sycl",          "rpc",
      "opencl",         "gpu_blas",   "blas",          "build_number",
      "model_filename", "model_type", "model_size",    "model_n_params",
      "n_batch",        "n_ubatch",   "n_threads",     "cpu_mask",
      "poll",           "type_k",     "type_v",        "f16_kv",
      "n_gpu_layers",   "n_cpu_moe",  "no_kv_offload", "low_vram",
      "flash_attn",     "devices",    "tensor_split",  "tensor_buft_overrides",
      "fit_target",     "embeddings", "mul_mat_q",     "n_prompt",
      "n_gen",          "n_depth",    "avg_ts"};
  return fields;
}

const std::vector<std::string>& irrelevant_bench_fields() {
  static const std::vector<std::string> fields = {
      "build_commit", "cpu_info",      "gpu_info",   "cpu_strict",    "split_mode",  "main_gpu",  "load_mode",
      "use_mmap",     "use_direct_io", "no_host",    "no_op_offload", "fit_min_ctx", "test_time", "avg_ns",
      "stddev_ns",    "stddev_ts",     "samples_ns", "samples_ts",    "numa"};
  return fields;
}

Measurements read_llama_bench(const std::string& path, const std::string& device) {
  Diagnostics out;
  Measurements all;
  all.file = path;
  std::map<std::string, int> unknown, ids;
  for (const Value& test : read_bench_rows(path)) {
    if (!test.is_map()) {
      out.add(test.position(), "a test is a map; found " + config::describe(test));
      continue;
    }
    all.rows.push_back(read_one(test, path, device, unknown, out));
    Measurement& m = all.rows.back();
    if (const int n = ++ids[m.id]; n > 1) m.id += fmt::format(" #{}", n);
  }
  out.throw_if_any();
  for (const auto& [key, n] : unknown)
    all.notes.push_back(fmt::format("the field '{}' ({} tests) is not known and was not read", key, n));
  return all;
}

}  // namespace edgenpu::evidence
