// A folder for one test and studies of the smallest model in it.
#pragma once

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

#include "sweep/expand.h"

namespace edgenpu::test {

class StudyFolder : public ::testing::Test {
 protected:
  StudyFolder() {
    folder =
        std::filesystem::temp_directory_path() /
        ("edgenpu_study_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()) +
         std::to_string(::getpid()));
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
  }
  ~StudyFolder() override { std::filesystem::remove_all(folder); }

  std::string path(const std::string& name) const { return (folder / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }
  // A study file whose head is the same in all tests: lines 1 to 4.
  std::string study_file(const std::string& rest) const {
    return write(
        "study.yaml",
        std::string("study: small\nhardware: ") + EDGENPU_SOURCE_DIR +
            "/hw_configs/npu/npu-raiderchip-asic.yaml\nmodel: smollm2-135m\nworkload: {repeat: memo}\n" +
            rest);
  }
  sweep::Expansion expand(const std::string& rest) const {
    return sweep::Expansion(sweep::read_study(study_file(rest)), EDGENPU_SOURCE_DIR, "test");
  }
  // The message of the InputError that the study ends in; "" if none.
  std::string refusal(const std::string& rest) const { return refusal_in_file(study_file(rest)); }
  // Of a whole study; $H stands for the folder of hardware descriptions.
  std::string study_refusal(std::string text) const {
    const std::string folder = std::string(EDGENPU_SOURCE_DIR) + "/hw_configs";
    for (std::size_t at = 0; (at = text.find("$H")) != std::string::npos;) text.replace(at, 2, folder);
    return refusal_in_file(write("s.yaml", text));
  }
  static std::string refusal_in_file(const std::string& file) {
    try {
      sweep::Expansion(sweep::read_study(file), EDGENPU_SOURCE_DIR, "test");
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  }

  std::filesystem::path folder;
};

}  // namespace edgenpu::test
