#include "cli/dispatch.h"

#include <fmt/format.h>
#include <iostream>
#include <new>

#include "base/error.h"
#include "base/memory.h"
#include "base/suggest.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/version.h"
#include "report/output.h"

namespace edgenpu::cli {

namespace {

struct Subcommand {
  const char* name;
  int (*run)(const Arguments&);
  const char* summary;
};

constexpr Subcommand kSubcommands[] = {
    {"run", run_command, "simulate one step of a model on a hardware description"},
    {"plan", plan_command, "how an NPU works through the operators of a step, and the next best way"},
    {"explain", explain_command, "why a step takes as long as it does, and what would change it"},
    {"compare", compare_command, "platforms side by side, with published figures judged"},
    {"validate", validate_command, "published measurements beside simulated ones"},
    {"calibrate", calibrate_command, "fit few parameters, pooled by class, to published measurements"},
    {"trace", trace_command, "generate or show the operators of a step"},
    {"memory", memory_command, "drive a memory system with a pattern or a trace"},
    {"numerics", numerics_command, "compute a GGUF model's logits bit for bit in an arithmetic of choice"},
    {"power", power_command, "power over time by block, in the formats that hardware designers' tools read"},
    {"sweep", sweep_command, "run the points of a study on all cores"},
    {"results", results_command, "show or merge the results of studies"},
};

void print_usage() {
  std::cout << "edgenpu: a cycle-approximate simulator of edge NPUs running language models\n\n"
               "Usage: edgenpu SUBCOMMAND [options]\n\n";
  for (const Subcommand& s : kSubcommands) std::cout << fmt::format("  {:<10} {}\n", s.name, s.summary);
  std::cout << "\n'" << program() << " SUBCOMMAND --help' has the options and an example.\n";
}

int run_subcommand(const std::vector<std::string>& arguments) {
  const std::string name = arguments.empty() ? "--help" : arguments[0];
  if (arguments.size() > 1 && (name == "--help" || name == "-h" || name == "--version"))
    throw InputError(Position{"command line"},
                     "'" + arguments[1] + "' after " + name + ": nothing goes with it");
  if (name == "--help" || name == "-h") {
    print_usage();
    return arguments.empty() ? 2 : 0;
  }
  if (name == "--version") {
    std::cout << "edgenpu " << kVersion << " (" << kCommit << ")\n";
    return 0;
  }
  std::vector<std::string> names;
  for (const Subcommand& s : kSubcommands) {
    if (name == s.name) return s.run({arguments.begin() + 1, arguments.end()});
    names.push_back(s.name);
  }
  throw InputError(Position{"command line"},
                   "unknown subcommand '" + name + "'; allowed: " + join(names) + did_you_mean(name, names));
}

// Messages hold names of files and what stands in them.
int complain(const char* kind, const std::string& message, int code) {
  std::cerr << kind << visible(message) << "\n";
  return code;
}

}  // namespace

int dispatch(const std::vector<std::string>& arguments, const std::string& program) {
  set_program(program);
  try {
    const int code = run_subcommand(arguments);
    report::finish_standard_output();
    return code;
  } catch (const InputError& e) {
    return complain("", e.what(), 2);
  } catch (const InfeasibleError& e) {
    return complain("infeasible: ", e.what(), 3);
  } catch (const std::bad_alloc&) {
    return complain("infeasible: ", out_of_memory(), 3);
  } catch (const std::exception& e) {
    return complain("internal error: ", e.what(), 1);
  }
}

}  // namespace edgenpu::cli
