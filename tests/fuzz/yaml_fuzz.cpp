// Feeds any text to the YAML reader and what it gives to everything that takes a YAML document: models,
// config.json, transformations, hardware. Bad input may only end in InputError; everything else is a finding.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "config/npu.h"
#include "config/value.h"
#include "workload/import_config.h"
#include "workload/transform.h"

namespace {

using edgenpu::InputError;
using namespace edgenpu::workload;

template <class Use>
void attempt(const Use& use) {
  try {
    use();
  } catch (const InputError&) {
  }
}

// What can be read must give a trace.
void use_model(const Model& model) {
  attempt([&] { generate_decode(model, "Q4_K_M", 17, 3); });
  attempt([&] { generate_prefill(model, "Q8_0", 5, 3); });
}

Model small_model() {
  Model m;
  m.name = "Small";
  m.gguf_arch = "llama";
  m.layers = 4;
  m.hidden = m.ffn = m.vocab = 512;
  m.heads = 8;
  m.kv_heads = 4;
  m.head_dim = 64;
  m.rope.dim = 64;
  return m;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  attempt([&] {
    const edgenpu::config::Value document = edgenpu::config::parse_text(text, "fuzz");
    attempt([&] { use_model(read_model(document)); });
    attempt([&] { use_model(import_config(document)); });
    attempt([&] {
      const StoredModel changed = transform(store(small_model(), "Q8_0"), document);
      attempt([&] { generate_decode(changed, 17, 3); });
      attempt([&] { generate_prefill(changed, 5, 3); });
    });
    attempt([&] { edgenpu::config::read_npu(document); });
  });
  return 0;
}
