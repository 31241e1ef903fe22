#include "config/runtime.h"

#include <algorithm>

#include "base/suggest.h"
#include "config/known_names.h"
#include "vocabulary/mixtures.h"
#include "vocabulary/operator_names.h"
#include "vocabulary/weight_format.h"

namespace edgenpu::config {

namespace {

const std::vector<std::string> kQuantise = {"none", "per_kernel", "fused"};
const std::vector<std::string> kSplit = {"rows", "elements"};

std::map<std::string, Instructions> read_table(const Value& map, const std::string& what, Diagnostics& out) {
  MapReader r(map, out, what);
  std::map<std::string, Instructions> table;
  for (const Value::Entry& e : map.entries()) {
    if (e.key == "source") continue;
    r.accept(e.key);
    if (e.value.is_map())
      table[e.key] = read_instructions(e.value, "the instructions of " + e.key, out);
    else
      out.add(e.key_position, "'" + e.key + "' must be a map of instruction counts");
  }
  r.finish();
  return table;
}

std::map<std::string, Instructions> read_formats(const Value& map, const std::string& what,
                                                 Diagnostics& out) {
  check_keys(map, "format", vocabulary::format_names(), out);
  return read_table(map, what, out);
}

std::map<vocabulary::VectorFunction, Instructions> read_functions(const Value& map, Diagnostics& out) {
  const std::vector<std::string> known = vocabulary::kernel_function_names();
  const std::map<std::string, Instructions> table = read_table(map, "'functions'", out);
  std::map<vocabulary::VectorFunction, Instructions> functions;
  for (const std::string& name : known)
    if (const auto found = table.find(name); found != table.end())
      functions[*vocabulary::function_by_name(name)] = found->second;
    else
      out.add(map.position(), "the function '" + name + "' has no instruction counts");
  for (const auto& [name, mix] : table)
    if (std::find(known.begin(), known.end(), name) == known.end())
      out.add(map.position(),
              "'" + name + "' is not a function; there are: " + join(known) + did_you_mean(name, known));
  return functions;
}

void read_narrow(const Value& map, Kernels& k, Diagnostics& out) {
  MapReader n(map, out, "'narrow'");
  if (const Value* below = n.map("below")) {
    check_keys(*below, "format", vocabulary::format_names(), out);
    MapReader b(*below, out, "'below'", Provenance::optional);
    for (const Value::Entry& e : below->entries()) k.narrow_below[e.key] = b.integer(e.key, {1, 1 << 20});
    b.finish();
  }
  if (const Value* row = n.map("row")) k.narrow_row = read_instructions(*row, "'row' of 'narrow'", out);
  n.finish();
}

Kernels read_kernels(const Value& section, const std::string& isa, Diagnostics& out) {
  MapReader r(section, out, "the kernels for " + isa);
  Kernels k;
  if (const Value* map = r.map("formats")) k.formats = read_formats(*map, "'formats'", out);
  if (const Value* map = r.map("functions")) k.functions = read_functions(*map, out);
  if (const Value* map = r.map("row")) k.row = read_instructions(*map, "'row'", out);
  if (const Value* map = r.map("narrow", true)) read_narrow(*map, k, out);
  if (const Value* map = r.map("per_head", true)) k.per_head = read_instructions(*map, "'per_head'", out);
  if (const Value* map = r.map("batch", true)) {
    MapReader b(*map, out, "'batch'");
    k.batch_from = b.integer("from", {2, 1 << 20});
    k.batch_tile = b.integer("tile", {1, 1 << 20});
    if (const Value* formats = b.map("formats", true))
      k.batch_formats = read_formats(*formats, "'formats' of 'batch'", out);
    b.finish();
  }
  r.finish();
  return k;
}

// Threads of a CPU take one kernel after the other by themselves.
void refuse_for_cpu(MapReader& r, const std::string& key, const std::string& allowed) {
  r.error(key, "is of kernels that a host launches; device: cpu has none, allowed: " + allowed);
}

void read_launch(MapReader& top, Runtime& runtime, bool cpu) {
  const Value* section = top.map("launch");
  if (!section) return;
  MapReader r(*section, top.diagnostics(), "'launch'");
  runtime.per_token = r.duration("per_token", {0, 1});
  r.accept("per_layer");
  if (r.has("per_layer")) runtime.per_layer = r.duration("per_layer", {0, 1});
  runtime.per_kernel = r.duration("per_kernel", {0, 1});
  runtime.per_logit = r.duration("per_logit", {0, 1e-3});
  runtime.graph = r.boolean("graph");
  if (cpu && r.has("per_layer")) refuse_for_cpu(r, "per_layer", "no such key");
  if (cpu && runtime.graph) refuse_for_cpu(r, "graph", "false");
  r.finish();
}

void read_fusion(MapReader& top, Runtime& runtime) {
  const Value* list = top.list("fuse");
  if (!list) return;
  for (const Value& group : list->items()) {
    if (!group.is_list() || group.items().size() < 2) {
      top.diagnostics().add(group.position(), "a fused kernel is a list of at least two operator names");
      continue;
    }
    std::vector<std::string> names;
    for (const Value& name : group.items()) {
      vocabulary::check_operator_name(name.text(), name.position(), top.diagnostics());
      names.push_back(name.text());
    }
    if (std::find(runtime.fuse.begin(), runtime.fuse.end(), names) != runtime.fuse.end())
      top.diagnostics().add(group.position(), "these operators are fused above already");
    runtime.fuse.push_back(names);
  }
}

void read_launches(MapReader& top, Runtime& runtime) {
  const Value* section = top.map("launches", true);
  if (!section) return;
  MapReader r(*section, top.diagnostics(), "'launches'");
  for (const Value::Entry& e : section->entries()) {
    if (e.key == "source") continue;
    r.accept(e.key);
    vocabulary::check_operator_name(e.key, e.key_position, top.diagnostics());
    runtime.launches[e.key] = r.integer(e.key, {1, 1000});
  }
  r.finish();
}

void read_block(MapReader& top, Runtime& runtime) {
  const Value* section = top.map("block", true);
  if (!section) return;
  const bool by_elements = runtime.split == Runtime::Split::elements;
  MapReader r(*section, top.diagnostics(), "'block'");
  if (r.has("elements") && !by_elements && runtime.quantise == Runtime::Quantise::none)
    r.error("elements",
            "is of kernels that are shared by elements ('split') or round their input ('quantise')");
  if (r.has("tokens") && !by_elements) r.error("tokens", "is of attention that 'split: elements' shares");
  runtime.block_elements = r.integer("elements", {1, 1 << 20}, runtime.block_elements);
  runtime.block_tokens = r.integer("tokens", {1, 1 << 20}, runtime.block_tokens);
  r.finish();
}

void read_chunk_rows(MapReader& top, Runtime& runtime, bool cpu) {
  if (top.has("chunk_rows") && !cpu)
    top.error("chunk_rows", "is of threads that take rows of a product; only device: cpu has them");
  runtime.chunk_rows = top.integer("chunk_rows", {1, 1 << 20}, runtime.chunk_rows);
}

void read_in_flight(MapReader& top, Runtime& runtime) {
  const Value* section = top.map("in_flight");
  if (!section) return;
  MapReader r(*section, top.diagnostics(), "'in_flight'");
  runtime.warps = static_cast<int>(r.integer("warps", {1, 4096}));
  runtime.bytes_per_warp = r.bytes("bytes_per_warp", {1, 1 << 20});
  r.finish();
}

}  // namespace

void check_runtime_for(MapReader& device) {
  device.accept("runtime_for");
  const Value* map = device.value().find("runtime_for");
  if (map && map->is_map())
    check_keys(*map, "quantisation", vocabulary::mixture_names(), device.diagnostics());
}

Runtime read_runtime(const Value& section, const std::string& device, const std::string& isa,
                     Diagnostics& out) {
  MapReader top(section, out, "'runtime'");
  Runtime runtime;
  top.accept("part");
  top.choice("kind", {"runtime"});
  runtime.name = top.text("name");
  top.text("description", "");
  const std::vector<std::string> devices = {"cpu", "gpu", "accelerator"};
  if (devices[top.choice("device", devices)] != device)
    top.error("device", "the runtime " + runtime.name + " does not run on a" +
                            (device == "accelerator" ? "n " : " ") + device);
  read_fusion(top, runtime);
  runtime.quantise = static_cast<Runtime::Quantise>(top.choice("quantise", kQuantise));
  runtime.split = static_cast<Runtime::Split>(top.choice("split", kSplit));
  const bool cpu = device == "cpu";
  read_block(top, runtime);
  read_chunk_rows(top, runtime, cpu);
  read_launch(top, runtime, cpu);
  read_launches(top, runtime);
  top.accept("in_flight");
  if (!cpu) read_in_flight(top, runtime);
  if (cpu && top.has("in_flight")) refuse_for_cpu(top, "in_flight", "no such key");
  if (const Value* kernels = top.map("kernels")) {
    std::vector<std::string> known;
    for (const Value::Entry& e : kernels->entries()) {
      if (e.key == "source") continue;
      known.push_back(e.key);
      Kernels read = read_kernels(e.value, e.key, out);
      if (e.key == isa) runtime.kernels = std::move(read);
    }
    if (!kernels->find(isa))
      out.add(kernels->position(), "the runtime " + runtime.name +
                                       " has no kernels for the instruction set '" + isa +
                                       "'; it has: " + join(known) + did_you_mean(isa, known));
  }
  top.finish();
  return runtime;
}

}  // namespace edgenpu::config
