// Tests of llama-bench as measurements, and what each of their fields does to what is simulated.
#include "evidence/llama_bench.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <map>

#include "evidence/bench_check.h"
#include "evidence/mapping_fixture.h"
#include "support/shipped.h"

namespace edgenpu::evidence {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Fields = std::map<std::string, std::string>;

// As JSON holds them.
const Fields kCpu = {{"backends", "\"CPU\""},
                     {"model_filename", "\"/models/Qwen3-4B-Q4_K_M.gguf\""},
                     {"model_type", "\"qwen3 4B Q4_K - Medium\""},
                     {"n_threads", "4"},
                     {"n_prompt", "512"},
                     {"n_gen", "0"},
                     {"avg_ts", "50"}};

Fields with(Fields base, const std::string& key, const std::string& value) {
  base[key] = value;
  return base;
}

Fields gpu(const std::string& backend = "CUDA") {
  return with(kCpu, "backends", "\"" + backend + "\"");
}

class LlamaBench : public test::StudyFolder {
 protected:
  Measurements read(const Fields& fields) const {
    std::string text;
    for (const auto& [key, value] : fields)
      if (!value.empty()) text += fmt::format("{}\"{}\": {}", text.empty() ? "" : ", ", key, value);
    return read_llama_bench(write("b.json", "[{" + text + "}]\n"), "board");
  }
  std::string refusal(const Fields& fields) const {
    try {
      read(fields);
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  }
  // What the row is simulated on, or why it is not.
  Mapped mapped(const Fields& fields, const std::string& hardware) const {
    const Measurement row = read(fields).rows.at(0);
    static const Mapping mapping = shipped();
    Mapped m = mapping.map_onto(row, test::hardware_file(hardware));
    if (!m.reason.empty()) return m;
    for (config::Override& o : bench_overrides(row, m)) m.overrides.push_back(std::move(o));
    const config::HardwareFile file(m.request.hardware);
    m.reason = refused_bench(row, m, file.resolve(m.overrides, m.request.quant));
    return m;
  }
  std::string reason(const Fields& fields, const std::string& hardware = "cpu-rk3588") const {
    return mapped(fields, hardware).reason;
  }
  // Everything that the comparison depends on.
  std::string answer(const Fields& fields, const std::string& hardware) const {
    if (const std::string why = refusal(fields); !why.empty()) return why;
    const Measurement row = read(fields).rows.at(0);
    const Mapped m = mapped(fields, hardware);
    std::string text =
        fmt::format("{} {} {} {} {} {} {} {} {} {}", m.reason, m.request.model, m.request.quant, m.request.kv,
                    m.request.context, m.prompt_step, m.prompt_cached, row.at_once.value_or(0),
                    row.decode_tok_s.value_or(0), row.prefill_tok_s.value_or(0));
    for (const config::Override& o : m.overrides)
      text += " " + o.path + "=" + config::canonical_text(o.value);
    return text;
  }
};

TEST_F(LlamaBench, PromptsAndGenerationsStandBehindTheirDepth) {
  const Measurement prompt = read(with(kCpu, "n_depth", "16384")).rows[0];
  EXPECT_DOUBLE_EQ(*prompt.prefill_tok_s, 50);
  EXPECT_EQ(prompt.depth, 16384);
  const Mapped m = mapped(with(kCpu, "n_depth", "16384"), "cpu-rk3588");
  EXPECT_EQ(m.prompt_cached, 16384);
  EXPECT_EQ(m.prompt_step, 512);
  Fields generation = with(with(kCpu, "n_prompt", "0"), "n_gen", "128");
  generation["n_depth"] = "256";
  EXPECT_EQ(mapped(generation, "cpu-rk3588").request.context, 256 + 64);
  EXPECT_EQ(read(generation).rows[0].id, "Qwen3-4B-Q4_K_M tg128 @ d256");
}

TEST_F(LlamaBench, TheTypeSaysWhatTheWeightsAreAndTheNameOnlyWhichModel) {
  Fields f = with(with(kCpu, "model_filename", "\"gemma-3-4b-it-qat-q4_0.gguf\""), "model_type",
                  "\"gemma3 4B Q4_0\"");
  EXPECT_EQ(mapped(f, "cpu-rk3588").request.quant, "Q4_0");
  EXPECT_EQ(mapped(f, "cpu-rk3588").request.model, "gemma-3-4b");
  f["model_type"] = "\"gemma3 4B all F32 (guessed)\"";
  EXPECT_EQ(mapped(f, "cpu-rk3588").request.quant, "F32");
  f = with(kCpu, "model_filename", "\"C:\\\\models\\\\Qwen3-4B-Q4_K_M.gguf\"");
  EXPECT_EQ(read(f).rows[0].id, "Qwen3-4B-Q4_K_M pp512");
  f = with(kCpu, "model_filename", "\"Qwen3-4B-UD-Q4_K_XL.gguf\"");
  EXPECT_THAT(mapped(f, "cpu-rk3588").notes, Contains(HasSubstr("a mixture of its own")));
}

TEST_F(LlamaBench, AFileWithoutANameIsKnownByItsParameters) {
  Fields f = with(kCpu, "model_filename",
                  "\"blobs/sha256-00e1317cbf74d901080d7100f57580ba8dd8de57203072dc6f668324ba545f29\"");
  f["model_type"] = "\"llama 8B Q4_K - Medium\"";
  f["model_n_params"] = "8030261248";
  EXPECT_EQ(mapped(f, "cpu-rk3588").request.model, "llama-3.1-8b");
  f["model_filename"] = "\"my-finetune-v3.gguf\"";
  EXPECT_EQ(mapped(f, "cpu-rk3588").request.model, "llama-3.1-8b");
  f["model_n_params"] = "9999999999";
  EXPECT_EQ(reason(f), "no shape for the model my-finetune-v3");
}

TEST_F(LlamaBench, AFileOfAnotherSizeThanItsNameSaysIsLeftOut) {
  EXPECT_THAT(reason(with(kCpu, "model_n_params", "8190735360")),
              HasSubstr("the file has 8.191 G parameters, qwen3-4b has"));
  EXPECT_THAT(reason(with(kCpu, "model_size", "4280404704")), HasSubstr("another mixture"));
  Fields f = with(with(kCpu, "model_n_params", "4022468096"), "model_size", "2590000000");
  EXPECT_EQ(reason(f), "");
  EXPECT_THAT(mapped(f, "cpu-rk3588").notes, Contains(HasSubstr("% against Q4_K_M of this shape")));
  // A tied embedding may be stored again as the head.
  f = with(
      with(with(kCpu, "model_filename", "\"Qwen3-0.6B-Q8_0.gguf\""), "model_type", "\"qwen3 0.6B Q8_0\""),
      "model_n_params", "751632384");
  EXPECT_EQ(reason(f), "");
}

TEST_F(LlamaBench, OtherHardwareThanTheRowsIsNotComparedWithIt) {
  EXPECT_EQ(reason(gpu()),
            "measured with the back end CUDA; the hardware is of kind cpu and runs llama.cpp-cpu");
  EXPECT_EQ(reason(gpu(), "gpu-orin-nano"), "");
  EXPECT_EQ(reason(gpu("ROCm"), "gpu-strix-halo"), "");
  EXPECT_EQ(reason(gpu("Metal,BLAS"), "gpu-apple-m2"), "");
  EXPECT_THAT(reason(gpu("Vulkan"), "gpu-orin-nano"), HasSubstr("runs llama.cpp-cuda"));
  EXPECT_THAT(reason(kCpu, "gpu-orin-nano"), HasSubstr("the back end CPU; the hardware is of kind gpu"));
  EXPECT_THAT(reason(gpu("CUDA,RPC"), "gpu-orin-nano"), HasSubstr("among machines"));
  EXPECT_THAT(reason(gpu("CANN"), "gpu-orin-nano"), HasSubstr("not modelled"));
  Fields old = with(gpu(), "backends", "");
  EXPECT_THAT(reason(old), HasSubstr("the back end is not stated"));
  old["cuda"] = "true";
  EXPECT_EQ(reason(old, "gpu-orin-nano"), "");
}

TEST_F(LlamaBench, LayersOnTheCpuLeaveAGpuRowOut) {
  EXPECT_THAT(reason(with(gpu(), "n_gpu_layers", "20"), "gpu-orin-nano"),
              HasSubstr("20 of 37 layers on the GPU"));
  for (const char* all : {"-1", "37", "99"})
    EXPECT_EQ(reason(with(gpu(), "n_gpu_layers", all), "gpu-orin-nano"), "") << all;
}

TEST_F(LlamaBench, ThreadsAreCoresOfTheDescription) {
  EXPECT_THAT(reason(with(kCpu, "n_threads", "8")), "8 threads, of which the description has cores for 4");
  EXPECT_EQ(mapped(with(kCpu, "n_threads", "2"), "cpu-rk3588").overrides.at(0).value.text(), "2");
  EXPECT_EQ(reason(with(kCpu, "cpu_mask", "\"0xf0\"")), "");
  EXPECT_THAT(reason(with(kCpu, "cpu_mask", "\"0x30\"")), HasSubstr("4 threads share the 2 cores"));
  EXPECT_THAT(refusal(with(kCpu, "cpu_mask", "\"big\"")), HasSubstr("is no hexadecimal number"));
}

TEST_F(LlamaBench, APromptGoesThroughTheModelInMicroBatches) {
  EXPECT_EQ(*read(kCpu).rows[0].at_once, 512);
  EXPECT_EQ(*read(with(kCpu, "n_ubatch", "2048")).rows[0].at_once, 2048);
  EXPECT_EQ(*read(with(with(kCpu, "n_ubatch", "2048"), "n_batch", "256")).rows[0].at_once, 256);
}

TEST_F(LlamaBench, TheSameTestTwiceHasTwoNames) {
  const Measurements m = read_llama_bench(
      write("b",
            "{\"model_type\": \"llama 1B F16\", \"n_gen\": 8, \"avg_ts\": 5}\n"
            "{\"model_type\": \"llama 1B F16\", \"n_gen\": 8, \"avg_ts\": 6, \"magic\": 1}\n"),
      "board");
  EXPECT_EQ(m.rows[1].id, "llama 1B tg8 #2");
  EXPECT_THAT(m.notes, Contains(HasSubstr("'magic' (1 tests) is not known")));
}

TEST_F(LlamaBench, FaultyFieldsAreRefusedWhereTheyStand) {
  EXPECT_THAT(refusal(with(kCpu, "avg_ts", "0")), HasSubstr("b.json:1:"));
  EXPECT_THAT(refusal(with(kCpu, "avg_ts", "\"fast\"")), HasSubstr("'avg_ts'"));
  EXPECT_THAT(refusal(with(kCpu, "n_depth", "-4")), HasSubstr("'n_depth'"));
  EXPECT_THAT(refusal(with(kCpu, "n_ubatch", "0")), HasSubstr("'n_ubatch'"));
  EXPECT_THAT(refusal(with(kCpu, "n_threads", "[4]")), HasSubstr("'n_threads'"));
}

// ---- every field

// Another value for each used field, on the CPU unless it concerns GPUs.
const std::map<std::string, std::string> kOther = {{"backends", "\"CUDA\""},
                                                   {"model_filename", "\"Qwen3-8B-Q4_K_M.gguf\""},
                                                   {"model_type", "\"qwen3 4B Q8_0\""},
                                                   {"model_size", "4280404704"},
                                                   {"model_n_params", "8190735360"},
                                                   {"n_batch", "256"},
                                                   {"n_ubatch", "256"},
                                                   {"n_threads", "2"},
                                                   {"cpu_mask", "\"0x3\""},
                                                   {"poll", "0"},
                                                   {"type_k", "\"q8_0\""},
                                                   {"type_v", "\"q8_0\""},
                                                   {"f16_kv", "false"},
                                                   {"n_cpu_moe", "4"},
                                                   {"no_kv_offload", "true"},
                                                   {"low_vram", "true"},
                                                   {"devices", "\"CUDA0/CUDA1\""},
                                                   {"tensor_split", "\"0.50/0.50\""},
                                                   {"tensor_buft_overrides", "\"exps=CPU\""},
                                                   {"fit_target", "1024"},
                                                   {"embeddings", "true"},
                                                   {"mul_mat_q", "false"},
                                                   {"n_prompt", "256"},
                                                   {"n_gen", "128"},
                                                   {"n_depth", "1024"},
                                                   {"avg_ts", "60"}};
const std::map<std::string, std::string> kOtherOnGpu = {{"n_gpu_layers", "20"}, {"flash_attn", "0"}};
// Of builds before `backends`, and what one row in a hundred says; build_number is an expression's matter.
const std::set<std::string> kElsewhere = {"backend", "cuda",   "vulkan",   "kompute", "metal",       "sycl",
                                          "rpc",     "opencl", "gpu_blas", "blas",    "build_number"};

TEST_F(LlamaBench, EveryUsedFieldChangesWhatIsComparedOrLeavesTheRowOut) {
  const std::string cpu = answer(kCpu, "cpu-rk3588"), cuda = answer(gpu(), "gpu-orin-nano");
  for (const std::string& field : used_bench_fields()) {
    if (kElsewhere.count(field)) continue;
    const auto on_gpu = kOtherOnGpu.find(field);
    if (on_gpu != kOtherOnGpu.end())
      EXPECT_NE(answer(with(gpu(), field, on_gpu->second), "gpu-orin-nano"), cuda) << field;
    else
      EXPECT_NE(answer(with(kCpu, field, kOther.at(field)), "cpu-rk3588"), cpu) << field;
  }
  const Fields old = with(with(kCpu, "backends", ""), "blas", "true");
  for (const char* field : {"cuda", "vulkan", "kompute", "metal", "sycl", "rpc", "opencl"})
    EXPECT_NE(answer(with(old, field, "true"), "cpu-rk3588"), answer(old, "cpu-rk3588")) << field;
  EXPECT_NE(answer(with(old, "blas", "false"), "cpu-rk3588"), answer(old, "cpu-rk3588"));
  EXPECT_NE(answer(with(kCpu, "build_number", "2100"), "cpu-rk3588"), cpu);
}

TEST_F(LlamaBench, FlashAttentionIsANumberOrABoolean) {
  for (const auto& [boolean, number] : {std::pair("true", "1"), std::pair("false", "0")})
    EXPECT_EQ(answer(with(gpu(), "flash_attn", boolean), "gpu-orin-nano"),
              answer(with(gpu(), "flash_attn", number), "gpu-orin-nano"));
}

TEST_F(LlamaBench, NoIrrelevantFieldChangesAnything) {
  const std::string cpu = answer(kCpu, "cpu-rk3588"), cuda = answer(gpu(), "gpu-orin-nano");
  for (const std::string& field : irrelevant_bench_fields()) {
    EXPECT_EQ(answer(with(kCpu, field, "7"), "cpu-rk3588"), cpu) << field;
    EXPECT_EQ(answer(with(gpu(), field, "7"), "gpu-orin-nano"), cuda) << field;
    EXPECT_THAT(read(with(kCpu, field, "7")).notes, IsEmpty()) << field;
  }
}

TEST_F(LlamaBench, EveryFieldThatItWritesIsUsedOrIrrelevant) {
  const Measurements m =
      read_llama_bench(std::string(EDGENPU_SOURCE_DIR) + "/tests/data/llama-bench/bench.json", "board");
  EXPECT_THAT(m.notes, IsEmpty());
  EXPECT_EQ(m.rows.size(), 4u);
  EXPECT_THAT(m.rows[3].left_out, HasSubstr("together"));
}

}  // namespace
}  // namespace edgenpu::evidence
