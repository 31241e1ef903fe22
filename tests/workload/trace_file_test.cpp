#include "workload/trace_file.h"

#include <algorithm>
#include <cstdlib>
#include <gmock/gmock.h>
#include <set>

#include "support.h"
#include "workload/generate.h"

namespace edgenpu::workload {
namespace {

using testing::HasSubstr;

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

const std::string kTiny = kDataDir + "/traces/tiny.yaml";
const std::string kLlama = kDataDir + "/traces/llama-3.2-1b-q4_k_m-decode-1024.yaml";

// What reading the tiny trace says after one edit.
std::string message_after(const std::string& from, const std::string& to) {
  std::string text = text_of(kTiny);
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  return message_of<InputError>([&] { parse_trace(text, "t.yaml"); });
}

std::vector<Trace> traces_of(const Model& m) {
  std::vector<Trace> traces = {generate_decode(m, "Q4_K_M", 0), generate_decode(m, "q4f16", 1024),
                               generate_decode(m, "Q2_K", 9999, 1, Format::BF16),
                               generate_prefill(m, "F16", 1, 100)};
  traces.push_back(generate_decode(m, "Q8_0", 7, 16));
  traces.push_back(generate_prefill(m, "Q4_K_S", 333));
  return traces;
}

TEST(TraceFile, ReadsBackWhatItWroteForAModelOfEveryArchitecture) {
  std::set<std::string> seen;
  for (const std::string& name : model_names(kDataDir)) {
    Model m = model(name);
    if (!seen.insert(m.gguf_arch).second) continue;
    m.layers =
        std::min<std::int64_t>(m.layers, 7);  // a round of the longest pattern of windows, and one more
    for (const Trace& trace : traces_of(m)) {
      const std::string text = write_trace(trace);
      const Trace again = parse_trace(text, name);
      EXPECT_EQ(write_trace(again), text) << name;
      EXPECT_EQ(requested_read(again), requested_read(trace)) << name;
      EXPECT_EQ(requested_write(again), requested_write(trace)) << name;
      EXPECT_EQ(total_macs(again), total_macs(trace)) << name;
      EXPECT_EQ(again.resident_kv, trace.resident_kv) << name;
      for (std::size_t i = 0; i < trace.operators.size(); ++i) {
        EXPECT_EQ(again.operators[i].layer, trace.operators[i].layer) << name;
        EXPECT_EQ(again.operators[i].needs, trace.operators[i].needs) << name;
      }
    }
  }
  EXPECT_GE(seen.size(), 15u);
}

TEST(TraceFile, KeepsNamesThatYamlWouldMisread) {
  Trace trace = generate_decode(model("llama-3.2-1b"), "Q4_K_M", 1);
  const std::vector<std::string> names = {"a: b",     "null", "[x]", "say \"hi\"\\", "3",
                                          "tab\tbed", "",     "#1",  "blk.x.y"};
  for (std::size_t i = 0; i < names.size(); ++i) trace.operators[i].name = names[i].empty() ? "-" : names[i];
  trace.model = "x # y";
  const Trace again = parse_trace(write_trace(trace), "names");
  EXPECT_EQ(again.model, trace.model);
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(again.operators[i].name, trace.operators[i].name);
    EXPECT_EQ(again.operators[i].layer, trace.operators[i].layer);
  }
  EXPECT_EQ(write_trace(again), write_trace(trace));
}

TEST(TraceFile, CheckedInLlamaTraceIsWhatTheGeneratorMakes) {
  EXPECT_EQ(text_of(kLlama), write_trace(generate_decode(model("llama-3.2-1b"), "Q4_K_M", 1024)));
  EXPECT_EQ(requested_read(read_trace(kLlama)), Bytes(833'418'896));
}

TEST(TraceFile, CheckedInTinyTraceCountsAsByHand) {
  const Trace trace = read_trace(kTiny);
  ASSERT_EQ(trace.operators.size(), 5u);
  // Embedding row and two F16 matrices of 64 x 64; norm scales and bias in F32; 3 cached tokens of 2 x 64 in
  // F16.
  EXPECT_EQ(requested_read(trace), Bytes(128 + 256 + 8192 + 256 + 3 * 256 + 8192));
  EXPECT_EQ(requested_write(trace), Bytes(0));
  EXPECT_EQ(total_macs(trace), Macs(4096 + 2 * 64 * 4 + 4096));
}

TEST(TraceFile, RefusesAnUnknownOperatorAndSuggestsTheNearest) {
  const std::string message = message_after("op: matmul", "op: matmull");
  EXPECT_THAT(message, HasSubstr("found 'matmull'; allowed: embed, norm, matmul, rope, attention, kv_write, "
                                 "activation, add, route, sample, combine; did you mean 'matmul'?"));
  EXPECT_THAT(message, HasSubstr("t.yaml:15:10:"));
}

TEST(TraceFile, RefusesUnknownDuplicateAndMissingKeys) {
  EXPECT_THAT(message_after("batch: 1", "bach: 1"), HasSubstr("t.yaml:8:1: unknown key 'bach'"));
  EXPECT_THAT(message_after("n: 64, k: 64", "nn: 64, k: 64"), HasSubstr("unknown key 'nn' in an operator"));
  EXPECT_THAT(message_after("n: 64, k: 64", "n: 64, k: 64, k: 64"), HasSubstr("duplicate key 'k'"));
  EXPECT_THAT(message_after("n: 64, k: 64", "n: 64"), HasSubstr("lacks the key 'k'"));
  EXPECT_THAT(message_after("quant: F16\n", ""), HasSubstr("the trace lacks the key 'quant'"));
  EXPECT_THAT(message_after("op: matmul, ", ""), HasSubstr("an operator lacks the key 'op'"));
}

TEST(TraceFile, RefusesWrongTypes) {
  EXPECT_THAT(message_after("context: 3", "context: three"), HasSubstr("'context' must be a whole number"));
  EXPECT_THAT(message_after("context: 3", "context: -3"), HasSubstr("'context': -3 is out of range"));
  EXPECT_THAT(message_after("bias: 256 B", "bias: 256"),
              HasSubstr("'bias': '256' has no unit; a size is needed"));
  EXPECT_THAT(message_after("phase: decode", "phase: decoding"), HasSubstr("did you mean 'decode'?"));
  EXPECT_THAT(message_after("format: F16", "format: F17"), HasSubstr("did you mean 'F16'?"));
  EXPECT_THAT(message_after("schema: 1", "schema: 2"), HasSubstr("'schema': 2 is out of range"));
  EXPECT_THAT(message_after("tokens: 1", "tokens: 2"), HasSubstr("a decode step has 1 new token"));
  EXPECT_THAT(message_after("needs: [token_embd]", "needs: token_embd"), HasSubstr("'needs' must be a list"));
  EXPECT_THAT(message_after("m: 1", "m: 0"), HasSubstr("'m': 0 is out of range"));
}

TEST(TraceFile, RefusesNeedsThatAreUnknownLaterItselfOrRepeated) {
  EXPECT_THAT(
      message_after("needs: [token_embd]", "needs: [token_embed]"),
      HasSubstr(
          "'norm' needs 'token_embed', which is no operator of this trace; did you mean 'token_embd'?"));
  EXPECT_THAT(message_after("needs: [token_embd]", "needs: [proj]"),
              HasSubstr("'norm' needs 'proj', which does not come before it"));
  EXPECT_THAT(message_after("needs: [token_embd]", "needs: [norm]"), HasSubstr("does not come before it"));
  EXPECT_THAT(message_after("needs: [token_embd]", "needs: [token_embd, token_embd]"),
              HasSubstr("'norm' needs 'token_embd' twice"));
  EXPECT_THAT(message_after("needs: [token_embd]", "needs: [[token_embd]]"), HasSubstr("needs a list"));
  EXPECT_THAT(message_after("needs: [token_embd]", "needs: [token_embd], input_on_chip: true"),
              HasSubstr("'norm' has input_on_chip and needs"));
  EXPECT_EQ(message_after("needs: [token_embd]", "input_on_chip: true"), "");
  EXPECT_THAT(message_after("name: token_embd", "name: token_embd, input_on_chip: true"),
              HasSubstr("unknown key 'input_on_chip'"))
      << "an embedding takes numbers of tokens";
}

TEST(TraceFile, RefusesANameUsedTwice) {
  EXPECT_THAT(message_after("name: proj", "name: norm"),
              HasSubstr("t.yaml:15:5: operator 'norm' is there already, at t.yaml:14:5"));
}

TEST(TraceFile, RefusesRowsThatAreNotWholeBlocks) {
  EXPECT_THAT(message_after("n: 64, k: 64, format: F16", "n: 64, k: 65, format: Q4_0"),
              HasSubstr("a row of 65 elements is not whole blocks of Q4_0 (32)"));
}

TEST(TraceFile, RefusesShapesWhoseCountsLeave64Bits) {
  EXPECT_THAT(message_after("n: 64, k: 64", "n: 1099511627776, k: 1099511627776"),
              HasSubstr("leave 64 bits"));
}

TEST(TraceFile, RefusesATraceWithoutOperators) {
  const std::string head = text_of(kTiny).substr(0, text_of(kTiny).find("operators:"));
  EXPECT_THAT(message_of<InputError>([&] { parse_trace(head + "operators: []\n", "t.yaml"); }),
              HasSubstr("'operators' is empty"));
  EXPECT_THAT(message_of<InputError>([&] { parse_trace(head + "operators: [5]\n", "t.yaml"); }),
              HasSubstr("an operator must be a map, found '5'"));
}

TEST(TraceFile, ReportsAllErrorsInOneGo) {
  std::string text = text_of(kTiny);
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"op: norm", "op: nrm"},
                                 {"k: 64", "k: x"},
                                 {"batch: 1", "batch: 0"},
                                 {"needs: [norm]", "needs: [nowhere]"}})
    text.replace(text.find(from), from.size(), to);
  try {
    parse_trace(text, "t.yaml");
    FAIL() << "accepted";
  } catch (const InputError& e) {
    EXPECT_EQ(e.diagnostics().size(), 4u) << e.what();
  }
}

// Whoever replays a trace is told as whoever made it.
TEST(TraceFile, CarriesWhatAStandInIsNotRightIn) {
  const Trace made = generate_decode(model("llama-4-scout"), "Q4_K_M", 100);
  EXPECT_THAT(stand_in_note(made), HasSubstr("llama-4-scout is a stand-in: beyond 8192 tokens"));
  EXPECT_EQ(stand_in_note(parse_trace(write_trace(made), "t.yaml")), stand_in_note(made));
  const Trace exact = generate_decode(model("llama-3.2-1b"), "Q4_K_M", 100);
  EXPECT_EQ(stand_in_note(exact), "");
  EXPECT_EQ(write_trace(exact).find("stand_in"), std::string::npos);
}

// Query heads without a head of the cache divided by nothing.
TEST(TraceFile, RefusesHeadsThatShareNoHeadOfTheCache) {
  EXPECT_THAT(message_after("heads: 1, kv_heads: 1", "heads: 3, kv_heads: 2"),
              HasSubstr("'kv_heads': found 2; allowed: a divisor of 'heads', 3"));
  EXPECT_THAT(message_after("heads: 1, kv_heads: 1", "heads: 1, kv_heads: 16"), HasSubstr("t.yaml:16:"));
}

// Such a write never ended.
TEST(TraceFile, RefusesToWriteACacheThatNoAttentionReads) {
  const std::string write = "{op: kv_write, name: w, m: 1, kv_heads: 1, head_dim: 64, kv_format: F16, ";
  const std::string last = "  - {op: matmul, name: output";
  const auto with = [&](const std::string& operator_text) {
    return message_after(last, "  - " + operator_text + "needs: [proj]}\n" + last);
  };
  EXPECT_EQ(with(write), "");
  EXPECT_THAT(with(write + "layer: 3, "),
              HasSubstr("t.yaml:17:5: 'w' writes a cache that no attention of its layer reads"));
  EXPECT_THAT(with("{op: kv_write, name: w, m: 1, kv_heads: 2, head_dim: 64, kv_format: F16, "),
              HasSubstr("'w' writes another cache than the attention of its layer reads; allowed: m: 1, "
                        "kv_heads: 1, head_dim: 64, kv_format: F16, and requests: 1 there"));
  EXPECT_THAT(with("{op: kv_write, name: w, m: 2, kv_heads: 1, head_dim: 64, kv_format: F16, "),
              HasSubstr("allowed: m: 1"));
}

}  // namespace
}  // namespace edgenpu::workload
