// Models from files: the same model from a GGUF file, from config.json and from models/ is the same trace.
#include <array>
#include <cstdio>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "config/value.h"
#include "support.h"
#include "support/gguf_model.h"
#include "workload/gguf_family.h"
#include "workload/import_config.h"
#include "workload/import_gguf.h"
#include "workload/model_source.h"
#include "workload/trace_file.h"

namespace edgenpu::workload {
namespace {

using test::GgufModel;
using testing::HasSubstr;

std::string tiny(const std::string& name) {
  return kDataDir + "/tests/data/tiny_models/" + name + ".gguf";
}

// A path that goes away with the test.
class Temporary {
 public:
  Temporary()
      : path_((std::filesystem::temp_directory_path() /
               ("edgenpu-import-" + std::to_string(::getpid()) + ".gguf"))
                  .string()) {}
  ~Temporary() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string trace_text(StoredModel model, const std::string& name, bool prefill = false) {
  model.model.name = name;
  return write_trace(prefill ? generate_prefill(model, 100, 50) : generate_decode(model, 3000, 2));
}

// The rule of docs/architecture.md, section 5.1, applied to a file's own tensor table and nothing else.
std::int64_t rule(const GgufFile& file, std::int64_t context) {
  const std::string arch = *file.text("general.architecture") + ".";
  const std::int64_t experts = file.integer(arch + "expert_count").value_or(0);
  const std::int64_t active = file.integer(arch + "expert_used_count").value_or(0);
  const bool untied = file.find_tensor("output.weight") != nullptr;
  std::int64_t bytes = 0;
  for (const GgufTensor& t : file.tensors()) {
    if (t.name.rfind("rope_", 0) == 0) continue;
    if (t.name == "token_embd.weight") {
      bytes += t.bytes.count() / t.rows();
      if (untied) continue;
    }
    const bool chosen = t.name.find("_exps.") != std::string::npos;
    bytes += chosen ? t.bytes.count() / experts * active : t.bytes.count();
  }
  const std::int64_t heads = *file.integer(arch + "attention.head_count");
  const std::int64_t kv_heads = *file.integer(arch + "attention.head_count_kv");
  const std::int64_t head_dim = *file.integer(arch + "embedding_length") / heads;
  return bytes + *file.integer(arch + "block_count") * context * 2 * kv_heads * head_dim * 2;
}

TEST(GgufImport, ReadsWhatTheRuleSaysOfTheFilesOwnTensors) {
  for (const char* name : {"tiny_llama.Q4_K_M", "tiny_qwen2.Q4_K_M", "tiny_moe.Q4_K_M"})
    for (const std::int64_t context : {0, 1, 40}) {
      const GgufFile file = GgufFile::open(tiny(name));
      EXPECT_EQ(requested_read(generate_decode(import_gguf(file), context)).count(), rule(file, context))
          << name << " " << context;
    }
}

TEST(GgufImport, KnowsTheTinyModels) {
  const StoredModel moe = import_gguf(tiny("tiny_moe.Q4_K_M"));
  EXPECT_EQ(moe.quant, "Q4_K_M");
  EXPECT_EQ(moe.model.layers, 2);
  EXPECT_EQ(moe.model.moe->experts, 8);
  EXPECT_EQ(moe.model.moe->active, 2);
  EXPECT_EQ(moe.model.moe->expert_ffn, 256);
  EXPECT_FALSE(moe.model.tied_embeddings);
  EXPECT_TRUE(import_gguf(tiny("tiny_qwen2.Q4_K_M")).model.tied_embeddings);
  EXPECT_TRUE(import_gguf(tiny("tiny_qwen2.Q4_K_M")).model.qkv_bias);
}

TEST(GgufImport, GivesTheTraceOfTheSameModelInModels) {
  const std::vector<std::string> known = gguf_architectures();
  std::set<std::string> unknown;
  for (const std::string& name : model_names(kDataDir)) {
    const Model m = model(name);
    SCOPED_TRACE(name);
    if (std::find(known.begin(), known.end(), m.gguf_arch) == known.end()) {
      unknown.insert(m.gguf_arch);
      continue;
    }
    const Temporary file;
    GgufModel(m, "Q4_K_M").write(file.path());
    for (const bool prefill : {false, true})
      EXPECT_EQ(trace_text(import_gguf(file.path()), m.name, prefill),
                trace_text(store(m, "Q4_K_M"), m.name, prefill));
  }
  // Shapes without an importer: their files are described by hand.
  EXPECT_EQ(unknown, (std::set<std::string>{"apertus", "bloom", "gemma3n", "gemma4", "gptj", "internlm",
                                            "internlm3", "nemotron_h", "olmo", "opt", "qwen35", "qwen35moe",
                                            "qwen3next", "telechat2"}));
}

TEST(ConfigImport, GivesTheTraceOfTheSameModelInModels) {
  int seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kDataDir + "/tests/data/hf")) {
    if (entry.path().extension() != ".json") continue;
    const std::string name = entry.path().stem().string();
    SCOPED_TRACE(name);
    const StoredModel imported = open_model(entry.path().string(), "Q4_K_M", kDataDir);
    for (const bool prefill : {false, true})
      EXPECT_EQ(trace_text(imported, name, prefill), trace_text(store(model(name), "Q4_K_M"), name, prefill));
    ++seen;
  }
  EXPECT_EQ(seen, 50);
}

// A file changed before it is read.
template <class Change>
std::string refusal(const Change& change, const std::string& name = "llama-3.2-1b") {
  const Temporary file;
  GgufModel gguf(model(name), "Q4_K_M");
  change(gguf);
  gguf.write(file.path());
  return message_of<InputError>([&] { import_gguf(file.path()); });
}

std::vector<StoredTensor>& tensors(GgufModel& g) {
  return g.stored().tensors;
}
StoredTensor& tensor(GgufModel& g, const std::string& name) {
  for (StoredTensor& t : tensors(g))
    if (t.tensor.name == name) return t;
  throw InternalError("no tensor " + name);
}

TEST(GgufImport, RefusesAnArchitectureThatItDoesNotKnowAndSaysTheWayOn) {
  const std::string message = refusal([](GgufModel& g) { g.stored().model.gguf_arch = "lama"; });
  EXPECT_THAT(message, HasSubstr("metadata 'general.architecture': 'lama' is not known"));
  EXPECT_THAT(message, Not(HasSubstr("did you mean"))) << "another architecture is another shape";
  EXPECT_THAT(message, HasSubstr("the way on: describe its shape in a model YAML"));
}

TEST(GgufImport, RefusesATensorThatNobodyReads) {
  const std::string message = refusal([](GgufModel& g) {
    tensors(g).push_back({{"blk.3.ssm_in.weight", 3, Role::unquantised, 256, 4, 1}});
  });
  EXPECT_THAT(message, HasSubstr("tensor 'blk.3.ssm_in.weight' is read by no operator of a llama model"));
}

TEST(GgufImport, RefusesAMissingTensor) {
  const std::string message =
      refusal([](GgufModel& g) { tensor(g, "blk.5.ffn_norm.weight").tensor.name = "x"; });
  EXPECT_THAT(message,
              HasSubstr("tensor 'blk.5.ffn_norm.weight' is missing; a model of architecture llama has it"));
}

TEST(GgufImport, RefusesTensorsThatDoNotFitTogether) {
  EXPECT_THAT(
      refusal([](GgufModel& g) { tensor(g, "blk.1.attn_output.weight").tensor.row = 1024; }),
      HasSubstr("tensor 'blk.1.attn_output.weight' has rows of 1024 elements; its input is 2048 wide"));
  EXPECT_THAT(refusal([](GgufModel& g) { tensor(g, "blk.1.ffn_up.weight").tensor.rows = 4000; }),
              HasSubstr("tensor 'blk.1.ffn_up.weight' has 4000 rows; ffn_down takes 8192 inputs"));
  EXPECT_THAT(refusal([](GgufModel& g) { tensor(g, "blk.0.attn_k.weight").tensor.rows = 500; }),
              HasSubstr("tensor 'blk.0.attn_k.weight' has 500 rows"));
  EXPECT_THAT(refusal([](GgufModel& g) { tensor(g, "token_embd.weight").tensor.row = 1024; }),
              HasSubstr("tensor 'token_embd.weight' has rows of 1024 elements; the model is 2048 wide"));
  EXPECT_THAT(refusal([](GgufModel& g) { tensor(g, "blk.2.ffn_up_exps.weight").tensor.matrices = 7; },
                      "mixtral-8x7b"),
              HasSubstr("tensor 'blk.2.ffn_up_exps.weight' has 7 matrices; the model has 8 experts"));
}

TEST(GgufImport, RefusesImpossibleMetadata) {
  EXPECT_THAT(refusal([](GgufModel& g) { g.stored().model.kv_heads = 5; }),
              HasSubstr("32 heads cannot share 5 KV heads evenly"));
  EXPECT_THAT(refusal([](GgufModel& g) { g.stored().model.layers = 3; }),
              HasSubstr("the file says 3 layers"));
  EXPECT_THAT(refusal([](GgufModel& g) { g.stored().model.hidden = 1 << 30; }),
              HasSubstr("'llama.embedding_length': 1073741824; 1 to 131072 are allowed"));
}

TEST(GgufImport, ReadsAHeadThatIsStoredBesideATiedEmbedding) {
  const Temporary file;
  GgufModel gguf(model("llama-3.2-1b"), "Q8_0");
  StoredTensor head = tensor(gguf, "token_embd.weight");
  head.tensor.name = "output.weight";
  gguf.stored().tensors.push_back(head);
  gguf.write(file.path());
  const StoredModel with = import_gguf(file.path());
  const Trace tied = generate_decode(store(model("llama-3.2-1b"), "Q8_0"), 10),
              both = generate_decode(with, 10);
  EXPECT_EQ(requested_read(both), requested_read(tied)) << "the head is read once, wherever it lies";
  EXPECT_EQ(both.resident_weights, tied.resident_weights + head.bytes());
}

TEST(GgufImport, StacksExpertsThatAreStoredOneByOne) {
  const Temporary file;
  GgufModel gguf(model("mixtral-8x7b"), "Q4_K_M");
  std::vector<StoredTensor> single;
  for (const StoredTensor& t : tensors(gguf)) {
    const std::size_t at = t.tensor.name.find("_exps.weight");
    for (std::int64_t e = 0; e < t.tensor.matrices; ++e) {
      single.push_back(t);
      if (at == std::string::npos) break;
      single.back().tensor.name = t.tensor.name.substr(0, at) + "." + std::to_string(e) + ".weight";
      single.back().tensor.matrices = 1;
    }
  }
  tensors(gguf) = single;
  gguf.write(file.path());
  EXPECT_EQ(trace_text(import_gguf(file.path()), "x"),
            trace_text(store(model("mixtral-8x7b"), "Q4_K_M"), "x"));
}

// Parts of a model as gguf-split names them, gone with the test.
class Parts {
 public:
  explicit Parts(GgufModel model, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      paths_.push_back(stem_.path() + "-0000" + std::to_string(i + 1) + "-of-0000" + std::to_string(count) +
                       ".gguf");
      model.write_part(paths_.back(), i, count);
    }
  }
  ~Parts() {
    for (const std::string& path : paths_) std::filesystem::remove(path);
  }
  const std::string& operator[](std::size_t i) const { return paths_[i]; }

 private:
  Temporary stem_;
  std::vector<std::string> paths_;
};

TEST(GgufImport, ReadsAllPartsWhicheverIsGiven) {
  const Parts parts(GgufModel(model("llama-3.2-1b"), "Q4_K_M"), 3);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(trace_text(import_gguf(parts[i]), "x"), trace_text(store(model("llama-3.2-1b"), "Q4_K_M"), "x"))
        << i;
}

TEST(GgufImport, SaysWhichPartIsGivenWhereAnotherIsMissing) {
  const Parts parts(GgufModel(model("llama-3.2-1b"), "Q4_K_M"), 2);
  std::filesystem::remove(parts[1]);
  EXPECT_THAT(
      message_of<InputError>([&] { import_gguf(parts[0]); }),
      HasSubstr("this is part 1 of a model in 2 files (split.no, split.count); part 2 cannot be read"));
  EXPECT_THAT(message_of<InputError>([&] { import_gguf(GgufFile::open(parts[0])); }),
              HasSubstr("this is part 1 of a model in 2 files"));
  const Temporary renamed;
  std::filesystem::rename(parts[0], renamed.path());
  EXPECT_THAT(message_of<InputError>([&] { import_gguf(renamed.path()); }),
              HasSubstr("should end in '-00001-of-00002.gguf'"));
}

TEST(GgufImport, NamesFilesThatAreNoModels) {
  const auto kind = [](const char* key, const char* value) {
    return refusal([&](GgufModel& g) { g.text(key, value); });
  };
  EXPECT_THAT(kind("general.type", "adapter"), HasSubstr("a LoRA adapter"));
  EXPECT_THAT(kind("general.type", "imatrix"), HasSubstr("an importance matrix"));
  EXPECT_THAT(kind("general.type", "mmproj"), HasSubstr("a projector of images or sound"));
  EXPECT_THAT(refusal([](GgufModel& g) { tensors(g).clear(); }), HasSubstr("holds no tensors: a vocabulary"));
}

// What llama.cpp calls the norms of gpt-oss and of OLMo 2, and the last one of LFM2.
TEST(GgufImport, ReadsNormsByTheNamesOfTheirArchitecture) {
  for (const auto& [name, from, to] :
       std::vector<std::array<std::string, 3>>{{"gpt-oss-20b", "ffn_norm", "post_attention_norm"},
                                               {"exaone-4.0-1.2b", "ffn_norm", "post_ffw_norm"},
                                               {"lfm2.5-1.2b", "output_norm", "token_embd_norm"}}) {
    const Temporary file;
    GgufModel gguf(model(name), "Q4_K_M");
    for (StoredTensor& t : tensors(gguf))
      if (const std::size_t at = t.tensor.name.find(from); at != std::string::npos)
        t.tensor.name.replace(at, from.size(), to);
    gguf.write(file.path());
    EXPECT_EQ(trace_text(import_gguf(file.path()), "x"), trace_text(store(model(name), "Q4_K_M"), "x"))
        << name;
  }
}

TEST(OpenModel, RefusesAQuantisationForAFileThatHasItsOwn) {
  EXPECT_THAT(message_of<InputError>([] { open_model(tiny("tiny_llama.Q4_K_M"), "Q8_0", kDataDir); }),
              HasSubstr("--quant: 'Q8_0' is given with"));
}

Model parse_config(const std::string& text) {
  return import_config(config::parse_text(text, "config.json"));
}

TEST(ConfigImport, RefusesWhatItDoesNotKnowWithThePosition) {
  EXPECT_THAT(message_of<InputError>([] { parse_config("{\n  \"model_type\": \"mamba\"\n}"); }),
              HasSubstr("config.json:2:17: model_type 'mamba' is not read; the way on: describe its shape"));
  EXPECT_THAT(message_of<InputError>([] { parse_config("{\"hidden_size\": 4}"); }),
              HasSubstr("'model_type' is missing"));
  EXPECT_THAT(message_of<InputError>([] { parse_config("[1, 2]"); }), HasSubstr("'model_type' is missing"));
  EXPECT_THAT(
      message_of<InputError>([] { parse_config("{\"model_type\": \"llama\", \"hidden_size\": -1}"); }),
      HasSubstr("'hidden_size'"));
}

}  // namespace
}  // namespace edgenpu::workload
