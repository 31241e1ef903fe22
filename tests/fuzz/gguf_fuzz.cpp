// Feeds any bytes to the GGUF reader and, if they are a GGUF file, to what reads a model out of it. Bad input
// may only end in InputError; everything else is a finding.
#include <cstddef>
#include <cstdint>

#include "base/error.h"
#include "numerics/architecture.h"
#include "numerics/weights.h"
#include "workload/gguf.h"
#include "workload/import_gguf.h"

namespace {

using edgenpu::InputError;
using edgenpu::workload::GgufFile;

// Every getter on every key: at most one of them accepts the value.
template <class Get>
void attempt(const Get& get) {
  try {
    get();
  } catch (const InputError&) {
  }
}

void touch_everything(const GgufFile& file) {
  for (const auto& [key, value] : file.metadata()) {
    attempt([&, k = key] { file.text(k); });
    attempt([&, k = key] { file.integer(k); });
    attempt([&, k = key] { file.real(k); });
    attempt([&, k = key] { file.boolean(k); });
    attempt([&, k = key] { file.integers(k); });
    attempt([&, k = key] { file.reals(k); });
    attempt([&, k = key] { file.array_length(k); });
  }
  volatile std::uint8_t sink = 0;
  for (const auto& t : file.tensors()) sink = file.data(t)[t.bytes.count() - 1];
  static_cast<void>(sink);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const GgufFile file = GgufFile::view(data, size, "fuzz");
    touch_everything(file);
    attempt([&] {
      const edgenpu::workload::StoredModel model = edgenpu::workload::import_gguf(file);
      attempt([&] { edgenpu::workload::generate_decode(model, 17, 3); });
      attempt([&] { edgenpu::workload::generate_prefill(model, 5, 3); });
    });
    edgenpu::numerics::load_weights(file, edgenpu::numerics::read_architecture(file));
  } catch (const InputError&) {
  }
  return 0;
}
