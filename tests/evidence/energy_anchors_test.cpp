// Predictions of measured joules a token.
#include "evidence/energy_anchors.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.h"
#include "simulate.h"

namespace edgenpu::evidence {
namespace {

namespace fs = std::filesystem;

// A folder of this process, which goes with it: tests run side by side.
struct Folder {
  Folder() : path(fs::temp_directory_path() / ("edgenpu-anchors-" + std::to_string(getpid()))) {
    fs::create_directories(path / "published");
  }
  ~Folder() { fs::remove_all(path); }
  const fs::path path;
};

// A table of one row.
std::string table(const std::string& row) {
  static const Folder made;
  const fs::path& folder = made.path;
  const std::string path = (folder / "published" / "anchors.yaml").string();
  std::ofstream(path)
      << "kind: energy_anchors\nrows:\n  - {id: x, hardware: gpu-orin-nano, model: smollm2-135m, "
         "quant: Q4_K_M, context: 64, J_per_token: 0.1, tokens_per_s: 100, source: test, "
      << row << "}\n";
  return path;
}

TEST(EnergyAnchors, OfAScopeAreTheStepsEnergy) {
  const auto anchors = predict_energy(table("scope: soc+dram"), EDGENPU_SOURCE_DIR);
  StepRequest r;
  r.hardware = std::string(EDGENPU_SOURCE_DIR) + "/hw_configs/gpu/gpu-orin-nano.yaml";
  r.model = "smollm2-135m";
  r.quant = "Q4_K_M";
  r.context = 64;
  r.data_dir = EDGENPU_SOURCE_DIR;
  const double joules = *simulate(r).metrics.energy_J_per_token;
  ASSERT_EQ(anchors.size(), 1u);
  EXPECT_NEAR(anchors[0].predicted_J, joules, 1e-12);
  EXPECT_NEAR(anchors[0].error(), joules / 0.1 - 1, 1e-9);
}

TEST(EnergyAnchors, OfRailsAddUpToTheInput) {
  double sum = 0;
  for (const char* rail : {"rail: VDD_CPU_GPU_CV", "rail: VDD_SOC", "rail: beyond the rails"})
    sum += predict_energy(table(rail), EDGENPU_SOURCE_DIR)[0].predicted_J;
  EXPECT_NEAR(sum, predict_energy(table("scope: soc+dram"), EDGENPU_SOURCE_DIR)[0].predicted_J, 1e-12);
}

TEST(EnergyAnchors, RefuseARailThatTheTableDoesNotKnow) {
  EXPECT_THROW(predict_energy(table("rail: VDD_X"), EDGENPU_SOURCE_DIR), InputError);
}

}  // namespace
}  // namespace edgenpu::evidence
