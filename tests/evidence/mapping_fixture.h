// The shipped mapping, and rows for it.
#pragma once

#include <string>

#include "evidence/mapping.h"
#include "sweep/study_fixture.h"

namespace edgenpu::evidence {

using MapMeasurement = test::StudyFolder;

inline const std::string kPublished = std::string(EDGENPU_SOURCE_DIR) + "/hw_configs/published/";

inline Mapping shipped() {
  return Mapping(kPublished + "mapping.yaml", EDGENPU_SOURCE_DIR);
}

inline Measurement row(const std::string& device, const std::string& device_class, const std::string& model,
                       const std::string& quant, const std::string& runtime) {
  Measurement m;
  m.id = "x";
  m.device = device;
  m.device_class = device_class;
  m.model = model;
  m.quant = quant;
  m.runtime = runtime;
  m.decode_tok_s = 1;
  return m;
}

}  // namespace edgenpu::evidence
