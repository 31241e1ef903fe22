#include "analysis/levers.h"

namespace edgenpu::analysis {

const std::vector<Lever>& levers() {
  static const std::vector<Lever> all = {
      {"dma.channels", true, true},
      {"dma.outstanding", true, true},
      {"dma.setup", false, true},
      {"matrix.decode.*", true, true},
      {"matrix.port", true, true},
      {"matrix.pipeline", false, true},
      {"matrix.columns", true, true},
      {"matrix.rows", true, true},
      {"matrix.engines", true, true},
      {"vector.lanes", true, true},
      {"vector.pipelines", true, true},
      {"vector.start", false, true},
      {"scratchpad.size", true, true},
      {"scratchpad.banks", true, true},
      {"scratchpad.width", true, true},
      {"interconnect.width", true, true},
      {"command_processor.issue", false, true},
      {"command_processor.queue_depth", true, true},
      {"host.overhead", false, true},
      // where operators are placed on it
      {"cpu.handover", false, true},
      {"cpu.latency", false, true},
      {"cpu.outstanding", true, true},
      {"cpu.lanes", true, true},
      {"cpu.cores", true, true},
      {"cpu.clock", true, true},
      {"memory.channels", true, false},
      {"clock", true, false},
      // CPUs
      {"core.outstanding", true, true},
      {"core.run_ahead", true, true},
      {"core.issue", true, true},
      {"core.throughput.simd", true, true},
      {"core.throughput.scalar", true, true},
      {"core.throughput.load", true, true},
      {"barrier", false, true},
      {"cores", true, true, true},
      // GPUs
      {"launch.gap", false, true},
      {"launch.graph_gap", false, true},
      {"launch.latency", false, true},
      {"multiprocessor.outstanding", true, true},
      {"multiprocessor.issue", true, true},
      {"multiprocessor.throughput.tensor", true, true},
      {"multiprocessor.throughput.float", true, true},
      {"multiprocessor.throughput.integer", true, true},
      {"multiprocessor.throughput.convert", true, true},
      {"multiprocessor.throughput.load", true, true},
      {"multiprocessors", true, true, true},
      // both
      {"cache.shared", true, true},
  };
  return all;
}

std::vector<std::pair<std::string, std::string>> numbers_of(const config::Value& tree,
                                                            const std::string& path) {
  std::vector<std::pair<std::string, std::string>> numbers;
  const bool all = path.size() > 2 && path.compare(path.size() - 2, 2, ".*") == 0;
  const std::string parent = all ? path.substr(0, path.size() - 2) : path;
  const config::Value* value = config::find_path(tree, parent);
  if (!value) return numbers;
  if (!all) {
    if (value->is_scalar()) numbers.emplace_back(path, value->text());
    return numbers;
  }
  for (const config::Value::Entry& e : value->entries())
    if (const config::Value* v = config::find_path(tree, parent + "." + e.key);
        e.key != "source" && v && v->is_scalar())
      numbers.emplace_back(parent + "." + e.key, v->text());
  return numbers;
}

}  // namespace edgenpu::analysis
