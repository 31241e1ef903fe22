#include "evidence/fit_memory.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/error.h"

namespace edgenpu::evidence {

namespace {

config::Override override_of(const std::string& path, const std::string& value) {
  return {path, config::parse_text(value, "memory that the row states")};
}

}  // namespace

const config::Memory& DescribedMemories::of(const std::string& hardware,
                                            const std::vector<config::Override>& overrides) {
  std::string key = hardware;
  for (const config::Override& o : overrides) key += "|" + o.path + "=" + config::describe(o.value);
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  const config::Value tree = config::HardwareFile(hardware).resolve(overrides);
  const config::Value* memory = tree.find("memory");
  if (!memory) throw InputError(tree.position(), "a hardware description needs a memory");
  Diagnostics out;
  const config::Memory read = config::read_memory(*memory, out);
  out.throw_if_any();
  return known_.emplace(key, read).first->second;
}

bool another_device(const config::Memory& described, double stated_GBps) {
  // The widest gap between modes of one device that we know of: an Orin Nano's memory at 102 and at 68 GB/s.
  constexpr double kModes = 1.6;
  const double ratio = stated_GBps * 1e9 / described.peak().count();
  return ratio > kModes || ratio < 1 / kModes;
}

std::vector<config::Override> scaled_to(const config::Memory& described, double stated_GBps,
                                        const std::string& units_key, std::int64_t units) {
  const double peak = stated_GBps * 1e9;
  // Never a faster clock than the part's own: its times may not hold there.
  const auto channels =
      std::max<std::int64_t>(1, std::llround(std::ceil(peak / described.channel_peak().count() - 1e-6)));
  const double clock_share = peak / (static_cast<double>(channels) * described.channel_peak().count());
  const double grown = static_cast<double>(units) * peak / described.peak().count();
  return {
      override_of("memory.channels", std::to_string(channels)),
      override_of("memory.clock", fmt::format("{:.0f} Hz", described.clock.count() * clock_share)),
      override_of("memory.capacity", fmt::format("{} B", described.channel_capacity().count() * channels)),
      override_of(units_key, std::to_string(std::max<std::int64_t>(1, std::llround(grown))))};
}

}  // namespace edgenpu::evidence
