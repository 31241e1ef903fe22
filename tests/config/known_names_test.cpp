// Formats and quantisations that a hardware description names and that do not exist.
#include "config/known_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "config/npu_engines.h"
#include "config/runtime.h"
#include "config/toolkit.h"

namespace edgenpu::config {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// What `read` finds wrong with a text.
template <class Read>
std::string findings(const std::string& text, Read read) {
  const Value tree = parse_text(text, "x.yaml");
  Diagnostics out;
  read(tree, out);
  try {
    out.throw_if_any();
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

std::string of_engines(const std::string& text) {
  return findings(text, [](const Value& t, Diagnostics& out) { read_matrix(t, out); });
}

std::string of_runtime(const std::string& text) {
  return findings(text, [](const Value& t, Diagnostics& out) { read_runtime(t, "gpu", "cuda", out); });
}

TEST(KnownNames, AreTheFormatsThatEnginesDecode) {
  EXPECT_THAT(of_engines("decode: {Q4_K: 256, Q4_KK: 256, source: x}\n"),
              HasSubstr("x.yaml:1:21: 'Q4_KK' is no format; there are: F32, "));
  EXPECT_THAT(of_engines("decode: {q4_k: 256}\n"), HasSubstr("did you mean 'Q4_K'?"));
  EXPECT_THAT(of_engines("decode: {Q4_K: 256, source: x}\n"), Not(HasSubstr("is no format")));
}

TEST(KnownNames, AreTheFormatsThatARuntimeHasKernelsFor) {
  EXPECT_THAT(of_runtime("kernels: {avx2: {formats: {Q9_0: {}}}}\n"),
              HasSubstr("x.yaml:1:28: 'Q9_0' is no format"));
  EXPECT_THAT(of_runtime("kernels: {cuda: {batch: {formats: {Q80: {}}}}}\n"),
              HasSubstr("'Q80' is no format"));
  EXPECT_THAT(of_runtime("kernels: {cuda: {narrow: {below: {Q81: 1024}}}}\n"),
              HasSubstr("'Q81' is no format"));
}

TEST(KnownNames, AreTheFunctionsThatARuntimeHasKernelsFor) {
  EXPECT_THAT(of_runtime("kernels: {cuda: {functions: {softmx: {}}}}\n"),
              HasSubstr("'softmx' is not a function; there are: add, "));
  EXPECT_THAT(of_runtime("kernels: {cuda: {functions: {rescale: {}}}}\n"),
              HasSubstr("'rescale' is not a function"));
}

TEST(KnownNames, AreTheQuantisationsThatNeedAnotherRuntime) {
  const auto of = [](const std::string& text) {
    return findings(text, [](const Value& t, Diagnostics& out) {
      MapReader r(t, out, "the description");
      check_runtime_for(r);
    });
  };
  EXPECT_THAT(of("runtime_for: {q4f61: mlc}\n"), HasSubstr("'q4f61' is no quantisation; there are: Q2_K, "));
  EXPECT_EQ(of("runtime_for: {q4f16: mlc}\n"), "");
}

TEST(KnownNames, AreTheQuantisationsThatAToolkitMakes) {
  const auto of = [](const std::string& text) {
    return findings(text, [](const Value& t, Diagnostics& out) { read_toolkit(t, out); });
  };
  EXPECT_THAT(of("toolkit: {runtime: r, quants: [int88], default: int88}\n"),
              HasSubstr("'int88' is no quantisation"));
  EXPECT_EQ(of("toolkit: {runtime: r, quants: [int8], default: int8}\n"), "");
}

}  // namespace
}  // namespace edgenpu::config
