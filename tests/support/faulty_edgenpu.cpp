// The tool with points that fail as asked, for tests of what surrounds them: EDGENPU_TEST_FAULTS="3:crash,5:hang,7:memory".
#include <cstdlib>
#include <string>
#include <unistd.h>
#include <vector>

#include "cli/dispatch.h"
#include "sweep/run_point.h"

namespace {

void fail_as_asked(std::int64_t number) {
  const char* faults = std::getenv("EDGENPU_TEST_FAULTS");
  if (!faults) return;
  const std::string list = "," + std::string(faults) + ",";
  const auto asked = [&](const char* fault) {
    return list.find("," + std::to_string(number) + ":" + fault + ",") != std::string::npos;
  };
  if (asked("crash")) std::abort();
  while (asked("hang")) ::pause();
  if (asked("memory")) {
    std::vector<std::string> hoard;
    while (true) hoard.emplace_back(std::size_t{64} << 20, 'x');
  }
}

}  // namespace

int main(int argc, char** argv) {
  edgenpu::sweep::before_point = fail_as_asked;
  return edgenpu::cli::dispatch({argv + 1, argv + argc}, argv[0]);
}
