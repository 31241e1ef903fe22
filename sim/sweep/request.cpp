#include "sweep/request.h"

#include "config/reader.h"
#include "sweep/study_file.h"

namespace edgenpu::sweep {

using config::MapReader;
using config::Override;
using config::Provenance;
using config::Value;

namespace {

constexpr config::IntRange kCount{0, 100'000'000}, kSome{1, 100'000'000};

Value workload_map(const std::vector<Override>& assignments) {
  Value map = Value::empty_map({});
  for (const Override& o : assignments)
    if (is_workload_path(o.path)) map.set(o.path, o.value);
  return map;
}

}  // namespace

StepRequest request_of(const std::vector<Override>& assignments, const std::string& data_dir) {
  const Value map = workload_map(assignments);
  Diagnostics out;
  MapReader r(map, out, "the workload", Provenance::optional);
  StepRequest request;
  request.data_dir = data_dir;
  request.hardware = r.text("hardware");
  request.model = r.text("model");
  request.quant = r.text("quant", request.quant);
  request.transform = r.text("transform", request.transform);
  const bool prefill = r.choice("phase", {"decode", "prefill"}, 0) == 1;
  request.phase = prefill ? workload::Phase::prefill : workload::Phase::decode;
  request.context = r.integer("context", kCount, prefill ? 0 : request.context);
  request.prompt = r.integer("prompt", kSome, request.prompt);
  request.batch = r.integer("batch", kSome, request.batch);
  request.kv = r.text("kv", request.kv);
  request.burst_detail = r.choice("detail", {"row", "burst"}, 0) == 1;
  request.memo = r.choice("repeat", {"full", "memo"}, 1) == 1;
  r.finish();
  out.throw_if_any();
  return request;
}

std::vector<Override> hardware_overrides(const std::vector<Override>& assignments) {
  std::vector<Override> overrides;
  for (const Override& o : assignments)
    if (!is_workload_path(o.path)) overrides.push_back(o);
  return overrides;
}

InputError blamed(const InputError& error, const std::vector<Override>& assignments) {
  std::vector<Diagnostic> diagnostics = error.diagnostics();
  for (Diagnostic& d : diagnostics) {
    if (d.position.source.rfind("--", 0) != 0) continue;
    const std::string path = d.position.source.substr(2);
    for (const Override& o : assignments)
      if (o.path == path) d.position = o.value.position();
  }
  return InputError(std::move(diagnostics));
}

}  // namespace edgenpu::sweep
