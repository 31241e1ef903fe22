// Predicts measured joules a token with the energy tables as they are, in the scope or on the rail on which
// each was measured.
//
//   kind: energy_anchors
//   rows:
//     - {id:, hardware: FILE, set: [path=value], model:, quant:, context:, scope: die|soc+dram|module|wall or
//        rail: NAME, J_per_token:, tokens_per_s:, fitted: false, source:}
//
// Hardware files are named relative to the folder above the table. A rail's energy is that of the components
// that the table puts on it. Errors: InputError, all findings at once.
#pragma once

#include <string>
#include <vector>

#include "result/energy_anchors.h"

namespace edgenpu::evidence {

std::vector<result::EnergyAnchor> predict_energy(const std::string& table, const std::string& data_dir,
                                                 int jobs = 0);

}  // namespace edgenpu::evidence
