#include "lowering/value_places.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "base/error.h"
#include "lowering/first_fit.h"
#include "lowering/memory_map.h"

namespace edgenpu::lowering {

using namespace workload;

namespace {

constexpr std::int64_t kScratchpadWord = 64, kDramAlignment = 64;

}  // namespace

bool ValuePlaces::stays(const Layout& l, std::size_t i) const {
  return l.values[i].rows > 0 && follower(trace_, consumers_, static_cast<int>(i), l.follow) < 0;
}

std::vector<std::string> ValuePlaces::names_by_size(Layout& l) const {
  std::map<std::string, std::int64_t> bytes;
  for (std::size_t i = 0; i < l.values.size(); ++i) {
    if (stays(l, i))
      bytes[name_of(i)] = std::max(bytes[name_of(i)], l.values[i].bytes().count());
    else if (l.values[i].rows > 0)
      l.values[i].place = Place::passing;
  }
  std::vector<std::string> names;
  for (const auto& [name, size] : bytes) names.push_back(name);
  std::stable_sort(names.begin(), names.end(), [&](auto& a, auto& b) { return bytes[a] < bytes[b]; });
  return names;
}

// When an operator's commands come: products that an activation follows are issued with it.
int ValuePlaces::issued(const Layout& l, int op) const {
  const int next = follower(trace_, consumers_, op, l.follow);
  return next < 0 ? op : next;
}
// A norm's rows appear with those of the sum before it.
int ValuePlaces::made(const Layout& l, int op) const {
  const int sum = sum_before(trace_, op, l.follow);
  return sum < 0 ? op : sum;
}
int ValuePlaces::last_read(const Layout& l, std::size_t op) const {
  int last = static_cast<int>(op);
  for (const int reader : consumers_[op]) last = std::max(last, issued(l, reader));
  return last;
}

// Places the values called `names`; the bytes they take, or nothing if that is more than `size`.
std::optional<std::int64_t> ValuePlaces::place(Layout& l, const std::set<std::string>& names,
                                               std::int64_t size) const {
  FirstFit fit(size, kScratchpadWord);
  for (std::size_t i = 0; i < l.values.size(); ++i) {
    if (!stays(l, i) || !names.count(name_of(i))) continue;
    const int op = static_cast<int>(i);
    const auto found = fit.place(op, l.values[i].bytes().count(), made(l, op), last_read(l, i));
    if (!found) return std::nullopt;
    l.values[i].place = Place::scratchpad;
    l.displaced[i] = found->displaced;
  }
  return fit.peak();
}

// The other values go to DRAM.
void ValuePlaces::spill(Layout& l, const std::set<std::string>& inside, std::int64_t base) const {
  FirstFit fit(npu_.memory.capacity.count(), kDramAlignment);
  for (std::size_t i = 0; i < l.values.size(); ++i) {
    if (!stays(l, i) || inside.count(name_of(i))) continue;
    const int op = static_cast<int>(i);
    const auto found = fit.place(op, l.values[i].bytes().count(), made(l, op), last_read(l, i));
    if (!found) throw_spill(l.values[i].bytes());
    l.values[i].place = Place::dram;
    l.values[i].address = base + found->address;
    l.displaced[i] = found->displaced;
  }
  l.spill = Bytes(fit.peak());
  const Bytes needed = memory_needed(trace_, npu_.memory, npu_.kv_page) + l.spill;
  if (needed > npu_.memory.capacity || base + l.spill.count() > npu_.memory.capacity.count())
    throw_spill(l.spill);
}

void ValuePlaces::throw_spill(Bytes bytes) const {
  const Bytes kv = allocated_kv(trace_, npu_.kv_page);
  throw InfeasibleError(fmt::format(
      "{} {}: {} B of activations that do not fit the scratchpad do not fit the memory either: needs {} B "
      "(weights {} B, KV cache {} B, reserve {} B, activations {} B), there are {} B",
      trace_.model, trace_.quant, bytes.count(),
      (memory_needed(trace_, npu_.memory, npu_.kv_page) + bytes).count(), trace_.resident_weights.count(),
      kv.count(), npu_.memory.reserve.count(), bytes.count(), npu_.memory.capacity.count()));
}

ValuePlaces::Kept ValuePlaces::keep(Layout& l, const std::vector<std::string>& names, Bytes budget) const {
  Kept kept;
  for (const std::string& name : names) {
    kept.names.insert(name);
    if (const std::optional<std::int64_t> peak = place(l, kept.names, budget.count()))
      kept.used = Bytes(*peak);
    else
      kept.names.erase(name);
  }
  place(l, kept.names, budget.count());
  return kept;
}

}  // namespace edgenpu::lowering
