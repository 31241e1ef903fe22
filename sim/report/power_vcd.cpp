// power.vcd: IEEE 1364-2001, clause 18. Reals for watts, a 3-bit vector for each engine's state.
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "activity/buckets.h"
#include "base/rates.h"
#include "report/power.h"

namespace edgenpu::report {

namespace {

using energy::PowerTrace;

constexpr std::int64_t kTimescale = 1'000'000;  // femtoseconds: 1 ns

// Identifiers of printable characters, '!' to '~'.
std::string identifier(std::size_t n) {
  std::string id;
  do {
    id += static_cast<char>('!' + n % 94);
    n /= 94;
  } while (n > 0);
  return id;
}

// The bucket in which an engine (or the cores together) spent most of each recorded window.
struct EngineStates {
  std::string name;
  std::vector<int> state;
};

std::vector<EngineStates> states_of(const activity::Windows& windows) {
  std::vector<EngineStates> engines;
  const std::string suffix = std::string(".") + activity::kBucketNames[0];
  for (const std::string& name : windows.names) {
    if (name.size() <= suffix.size() || name.compare(name.size() - suffix.size(), suffix.size(), suffix) != 0)
      continue;
    EngineStates e{name.substr(0, name.size() - suffix.size()), {}};
    std::array<const std::vector<std::int64_t>*, activity::kBuckets> buckets{};
    for (std::size_t b = 0; b < buckets.size(); ++b)
      buckets[b] = windows.find(e.name + "." + activity::kBucketNames[b]);
    for (std::size_t w = 0; w < windows.size(); ++w) {
      int most = 0;
      for (int b = 1; b < activity::kBuckets; ++b)
        if ((*buckets[static_cast<std::size_t>(b)])[w] > (*buckets[static_cast<std::size_t>(most)])[w])
          most = b;
      e.state.push_back(most);
    }
    engines.push_back(std::move(e));
  }
  return engines;
}

std::string header(const PowerTrace& t, const std::vector<EngineStates>& engines) {
  std::string text = "$comment edgenpu: watts of blocks; states of engines:";
  for (int b = 0; b < activity::kBuckets; ++b)
    text += fmt::format(" {} {}{}", b, activity::kBucketNames[static_cast<std::size_t>(b)],
                        b + 1 < activity::kBuckets ? "," : "");
  text += " $end\n$timescale 1 ns $end\n$scope module power $end\n";
  for (std::size_t i = 0; i < t.names.size(); ++i)
    text += fmt::format("$var real 64 {} {}_W $end\n", identifier(i), t.names[i]);
  text += fmt::format("$var real 64 {} total_W $end\n", identifier(t.names.size()));
  text += "$upscope $end\n$scope module state $end\n";
  for (std::size_t e = 0; e < engines.size(); ++e)
    text += fmt::format("$var reg 3 {} {} [2:0] $end\n", identifier(t.names.size() + 1 + e), engines[e].name);
  return text + "$upscope $end\n$enddefinitions $end\n";
}

// What changed since the last window.
class Changes {
 public:
  Changes(std::string& text, std::size_t variables) : text_(text), last_(variables) {}
  void at(std::int64_t time) { time_ = time; }
  void set(std::size_t variable, std::string value) {
    if (last_[variable] == value) return;
    if (time_ != written_) {
      text_ += fmt::format("#{}\n", time_);
      written_ = time_;
    }
    text_ += fmt::format("{} {}\n", value, identifier(variable));
    last_[variable] = std::move(value);
  }

 private:
  std::string& text_;
  std::vector<std::string> last_;
  std::int64_t time_ = -1, written_ = -1;
};

std::string bits(int state) {
  return fmt::format("b{:03b}", state);
}

}  // namespace

std::string power_vcd(const StepPower& step, const PowerTrace& t) {
  const activity::Windows& recorded = step.run.windows;
  const std::vector<EngineStates> engines = states_of(recorded);
  std::string text = header(t, engines);
  Changes changes(text, t.names.size() + 1 + engines.size());
  for (std::size_t w = 0; w < t.size(); ++w) {
    changes.at(t.start(w).count() / kTimescale);
    for (std::size_t i = 0; i < t.names.size(); ++i)
      changes.set(i, fmt::format("r{:.9g}", t.power(i, w).count()));
    changes.set(t.names.size(), fmt::format("r{:.9g}", t.power(w).count()));
    // The state at the window's start; of a run repeated, that of the run.
    const auto at =
        static_cast<std::size_t>(t.start(w) / recorded.window) % std::max<std::size_t>(1, recorded.size());
    for (std::size_t e = 0; e < engines.size(); ++e)
      changes.set(t.names.size() + 1 + e, bits(engines[e].state[at]));
  }
  return text + fmt::format("#{}\n", ceil_div(t.time.count(), kTimescale));
}

}  // namespace edgenpu::report
