// Feeds any bytes to one of the readers in the table at the end, chosen by --reader=NAME. Bad input may only end
// in InputError; everything else is a finding. What is accepted is used a little, as far as that is quick.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <unistd.h>

#include "base/error.h"
#include "config/memory.h"
#include "config/runtime.h"
#include "energy/blocks.h"
#include "energy/dram_energy.h"
#include "energy/floorplan.h"
#include "evidence/calibration_spec.h"
#include "evidence/llama_bench.h"
#include "evidence/mapping.h"
#include "evidence/measurements.h"
#include "evidence/published.h"
#include "evidence/validate.h"
#include "hardware/memory/trace_replay.h"
#include "simulate.h"
#include "simulate/device.h"
#include "sweep/expand.h"
#include "sweep/query.h"
#include "sweep/store.h"
#include "workload/import_config.h"

namespace {

namespace fs = std::filesystem;
using edgenpu::Diagnostics;
using edgenpu::InputError;
using edgenpu::config::Value;
using namespace edgenpu::sweep;
using namespace edgenpu::evidence;

const std::string kData = EDGENPU_SOURCE_DIR;

template <class Use>
void attempt(const Use& use) {
  try {
    use();
  } catch (const InputError&) {
  }
}

// Where inputs that are read as files lie: beside what they may name.
class Folder {
 public:
  Folder() {
    std::string name = fs::temp_directory_path() / "edgenpu-fuzz-XXXXXX";
    path_ = ::mkdtemp(name.data());
    for (const auto& entry : fs::directory_iterator(kData + "/hw_configs"))
      fs::create_symlink(entry.path(), path_ / entry.path().filename());
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path_ / name;
  }

 private:
  fs::path path_;
};

std::string file_of(const std::string& name, const std::string& text) {
  static const Folder folder;
  return folder.file(name, text);
}

// Counts what is used, so that no optimiser drops the use.
volatile std::size_t used = 0;

void trace(const std::string& text) {
  static const edgenpu::config::Memory memory = [] {
    Diagnostics out;
    return read_memory(edgenpu::config::parse_file(kData + "/hw_configs/memory/lpddr5-6400.yaml"), out);
  }();
  for (const char* name : {"trace.txt", "trace.rstl", "misc.trc"})
    for (const bool fold : {false, true})
      attempt([&] {
        edgenpu::hardware::TraceSource source(std::make_unique<std::istringstream>(text), name, memory, fold);
        edgenpu::hardware::TrafficRequest r;
        for (int i = 0; i < 1000 && source.next(r); ++i)
          if (r.address < 0 || r.address >= memory.capacity.count() || r.not_before < 0 || r.bytes < 0)
            std::abort();
      });
}

void memory(const std::string& text) {
  const Value section = edgenpu::config::parse_text(text, "fuzz");
  Diagnostics out;
  const edgenpu::config::Memory m = read_memory(section, out);
  if (const Value* prices = section.find("energy")) edgenpu::energy::read_dram_prices(*prices, out);
  out.throw_if_any();
  if (m.ideal) return;
  const edgenpu::timing::AddressMap map(m);
  for (std::int64_t a = 0; a < m.capacity.count(); a += m.capacity.count() / 7 + 1)
    if (map.global(map.channel_of(a), map.local(a)) != a) std::abort();
}

void hardware(const std::string& text) {
  const Value tree = edgenpu::config::load_hardware_tree(file_of("fuzz.yaml", text), {}, "Q4_K_M");
  edgenpu::check_hardware(tree);
  const edgenpu::simulate_detail::Device device(tree);
  const auto table = edgenpu::energy::read_table(*tree.find("energy"));
  const auto blocks = edgenpu::energy::blocks_of(table, device.sizes(), edgenpu::energy::Scope::die);
  if (!blocks.empty()) used = pack(blocks).size();
}

const Value& shipped_npu() {
  static const Value tree =
      edgenpu::config::load_hardware_tree(kData + "/hw_configs/npu/npu-raiderchip-asic.yaml", {});
  return tree;
}

void energy(const std::string& text) {
  static const edgenpu::simulate_detail::Device device(shipped_npu());
  const auto table = edgenpu::energy::read_table(edgenpu::config::parse_text(text, "fuzz"));
  for (const auto scope : {edgenpu::energy::Scope::die, edgenpu::energy::Scope::wall})
    attempt([&] { used = blocks_of(table, device.sizes(), scope).size(); });
}

void floorplan(const std::string& text) {
  static const auto blocks =
      blocks_of(edgenpu::energy::read_table(*shipped_npu().find("energy")),
                edgenpu::simulate_detail::Device(shipped_npu()).sizes(), edgenpu::energy::Scope::die);
  used = read_floorplan(edgenpu::config::parse_text(text, "fuzz"), blocks).size();
}

void runtime(const std::string& text) {
  const Value section = edgenpu::config::parse_text(text, "fuzz");
  for (const auto& device : {std::pair("cpu", "neon_dotprod"), std::pair("gpu", "cuda")}) {
    Diagnostics out;
    attempt([&] { edgenpu::config::read_runtime(section, device.first, device.second, out); });
  }
}

void study(const std::string& text) {
  const Study study = read_study(file_of("fuzz.yaml", text));
  std::size_t points = 1;
  for (const Group& g : study.groups) points = std::min<std::size_t>(points * g.rows.size(), 1000);
  if (points <= 16) used = Expansion(study, kData, "fuzz").points().size();
}

Measurement row(const char* device, const char* model, const char* quant, const char* runtime) {
  Measurement m;
  m.device = device;
  m.device_class = "cpu";
  m.model = model;
  m.quant = quant;
  m.runtime = runtime;
  m.threads = 4;
  m.decode_tok_s = 10;
  return m;
}

void mapping(const std::string& text) {
  const Mapping mapping(file_of("fuzz.yaml", text), kData);
  for (const Measurement& m : {row("Orange Pi 5 RK3588", "Llama 3.2 (1B)", "Q4_0", "llama.cpp b4000"),
                               row("jetson orin nano 15W", "qwen2.5:0.5b", "int4 awq", "MLC")})
    attempt([&] { used = mapping.map(m).notes.size(); });
}

void calibration(const std::string& text) {
  const std::string path = file_of("fuzz.yaml", text);
  attempt([&] { used = read_calibration(path).size(); });
  attempt([&] { used = read_calibrated(path).size(); });
  attempt([&] { used = read_published(path, kData).rows.size(); });
  attempt([&] { used = read_median_shares(path).size(); });
}

void results(const std::string& bytes) {
  const std::string path = file_of("fuzz.sqlite", bytes);
  attempt([&] {
    const Store store(path, Store::Mode::read);
    used = store.statuses().size();
    for (const std::string& name : store.studies())
      attempt([&] {
        const auto table = store.points(name);
        attempt([&] { used = filtered(table, "status = 'ok'").rows.size(); });
      });
  });
  for (const char* log : {"-wal", "-shm", "-journal"}) fs::remove(path + log);
}

const std::map<std::string, void (*)(const std::string&)> kReaders = {
    {"calibration", calibration},
    {"config_json",
     [](const std::string& t) { edgenpu::workload::import_config(edgenpu::config::parse_text(t, "fuzz")); }},
    {"energy", energy},
    {"floorplan", floorplan},
    {"hardware", hardware},
    {"llama_bench", [](const std::string& t) { read_llama_bench(file_of("fuzz.json", t), "my board"); }},
    {"mapping", mapping},
    {"measurements", [](const std::string& t) { read_measurements(file_of("fuzz.yaml", t)); }},
    {"memory", memory},
    {"memory_trace", trace},
    {"results", results},
    {"runtime", runtime},
    {"study", study},
    {"validate_cache", [](const std::string& t) { PointRunner(1, file_of("fuzz.cache", t)); }},
};

void (*reader)(const std::string&) = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  constexpr const char* kOption = "--reader=";
  for (int i = 1; i < *argc; ++i)
    if (std::strncmp((*argv)[i], kOption, std::strlen(kOption)) == 0)
      if (const auto found = kReaders.find((*argv)[i] + std::strlen(kOption)); found != kReaders.end())
        reader = found->second;
  if (reader) return 0;
  for (const auto& [name, use] : kReaders) std::cerr << kOption << name << "\n";
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  attempt([&] { reader(std::string(reinterpret_cast<const char*>(data), size)); });
  return 0;
}
