#include "evidence/model_sizes.h"

#include <cmath>

#include "workload/model.h"
#include "workload/tensors.h"

namespace edgenpu::evidence {

namespace {

// Models of one architecture lie further apart; a figure rounded to "8.03 B" lies nearer.
constexpr double kSame = 0.005;

}  // namespace

void ModelSizes::read() {
  if (!all_.empty()) return;
  for (const std::string& name : workload::model_names(data_dir_)) {
    workload::Model model = workload::find_model(name, data_dir_);
    all_.push_back({name, model.gguf_arch, workload::parameters(model)});
    if (!model.tied_embeddings) continue;
    model.tied_embeddings = false;
    all_.push_back({name, model.gguf_arch, workload::parameters(model)});
  }
}

std::int64_t ModelSizes::of(const std::string& name) {
  read();
  for (const Size& s : all_)
    if (s.name == name) return s.parameters;
  return 0;
}

const std::string& ModelSizes::nearest(const std::string& architecture, std::int64_t parameters) {
  read();
  static const std::string none;
  const std::string* best = &none;
  double least = kSame;
  for (const Size& s : all_) {
    const double apart = std::abs(static_cast<double>(s.parameters) / static_cast<double>(parameters) - 1);
    if (s.architecture != architecture || !(apart < least)) continue;
    least = apart;
    best = &s.name;
  }
  return *best;
}

}  // namespace edgenpu::evidence
