// A folder for one test of studies, in which the tool runs as a user meets it.
#pragma once

#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

#include "cli/command_line.h"

namespace edgenpu::test {

class SweepFolder : public ::testing::Test {
 protected:
  SweepFolder() {
    folder_ = std::filesystem::temp_directory_path() /
              (std::string("edgenpu_sweep_") +
               ::testing::UnitTest::GetInstance()->current_test_info()->name() + std::to_string(::getpid()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~SweepFolder() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  // A study file: `rest` follows lines 1 to 3.
  void study(const std::string& name, const std::string& rest) const {
    write(name, std::string("study: s\nhardware: ") + EDGENPU_SOURCE_DIR +
                    "/hw_configs/npu/npu-raiderchip-asic.yaml\nmodel: smollm2-135m\n" + rest);
  }

  // A command of a shell in the folder, in which $E is the tool; run once.
  Output shell(const std::string& command) const {
    const std::string script = fmt::format("cd '{}' && E='{}'; F='{}'; {}", folder_.string(), EDGENPU_BINARY,
                                           EDGENPU_FAULTY, command);
    write("script.sh", script);
    Output out;
    std::FILE* pipe =
        ::popen(fmt::format("bash '{0}/script.sh' 2>'{0}/errors'", folder_.string()).c_str(), "r");
    out.text = slurp(pipe);
    out.exit_code = WEXITSTATUS(::pclose(pipe));
    std::FILE* errors = std::fopen((folder_ / "errors").c_str(), "r");
    out.errors = slurp(errors);
    std::fclose(errors);
    return out;
  }

  // All rows as CSV, in the order of the points.
  std::string csv(const std::string& results) const {
    const Output out = shell("$E results table '" + results + "' --columns all --csv -");
    EXPECT_EQ(out.exit_code, 0) << out.errors;
    return out.text;
  }

  std::filesystem::path folder_;
};

}  // namespace edgenpu::test
