#include "hardware/memory/traffic.h"

#include <functional>

namespace edgenpu::hardware {

namespace {

constexpr std::int64_t kRequest = 64;

class XorShift64Star {
 public:
  std::uint64_t operator()() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545F4914F6CDD1DULL;
  }
  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>((*this)() % static_cast<std::uint64_t>(n));
  }

 private:
  std::uint64_t state_ = 0x9E3779B97F4A7C15ULL;
};

struct PatternState {
  std::int64_t capacity;
  XorShift64Star random;
  std::int64_t block = 0;
};

using Pattern = TrafficRequest (*)(std::int64_t i, PatternState& s);

std::int64_t stream_base(std::int64_t k, const PatternState& s) {
  return k * (s.capacity / 4);
}

TrafficRequest seq_rd(std::int64_t i, PatternState&) {
  return {kRequest * i, false, 0, 0};
}
TrafficRequest seq_w10(std::int64_t i, PatternState&) {
  return {kRequest * i, i % 10 == 9, 0, 0};
}
TrafficRequest sep_w10(std::int64_t i, PatternState& s) {
  if (i % 10 == 9) return {s.capacity / 2 + kRequest * (i / 10), true, 0, 0};
  return {kRequest * (i - i / 10), false, 0, 0};
}
TrafficRequest streams4_off(std::int64_t i, PatternState& s) {
  return {stream_base(i % 4, s) + 8192 * (i % 4) + kRequest * (i / 4), false, 0, 0};
}
TrafficRequest streams4_al(std::int64_t i, PatternState& s) {
  return {stream_base(i % 4, s) + kRequest * (i / 4), false, 0, 0};
}
TrafficRequest streams4_1k(std::int64_t i, PatternState& s) {
  const std::int64_t g = i / 16, k = g % 4;
  return {stream_base(k, s) + 8192 * k + 1024 * (g / 4) + kRequest * (i % 16), false, 0, 0};
}
TrafficRequest rand64(std::int64_t, PatternState& s) {
  return {kRequest * s.random.below(s.capacity / kRequest), false, 0, 0};
}
TrafficRequest gather4k(std::int64_t i, PatternState& s) {
  if (i % 64 == 0) s.block = 4096 * s.random.below(s.capacity / 4096);
  return {s.block + kRequest * (i % 64), false, 0, 0};
}

struct NamedPattern {
  const char* name;
  Pattern pattern;
};
constexpr NamedPattern kPatterns[] = {{"seq_rd", seq_rd},           {"seq_w10", seq_w10},
                                      {"sep_w10", sep_w10},         {"streams4_off", streams4_off},
                                      {"streams4_al", streams4_al}, {"streams4_1k", streams4_1k},
                                      {"rand64", rand64},           {"gather4k", gather4k}};

class PatternSource : public TrafficSource {
 public:
  PatternSource(Pattern pattern, std::int64_t requests, std::int64_t capacity)
      : pattern_(pattern), requests_(requests), state_{capacity, {}} {}
  bool next(TrafficRequest& request) override {
    if (i_ == requests_) return false;
    request = pattern_(i_++, state_);
    if (request.address >= state_.capacity) request.address %= state_.capacity;
    return true;
  }

 private:
  Pattern pattern_;
  std::int64_t requests_, i_ = 0;
  PatternState state_;
};

}  // namespace

const std::vector<std::string>& pattern_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> n;
    for (const NamedPattern& p : kPatterns) n.emplace_back(p.name);
    return n;
  }();
  return names;
}

std::unique_ptr<TrafficSource> make_pattern(const std::string& name, std::int64_t requests,
                                            std::int64_t capacity) {
  for (const NamedPattern& p : kPatterns)
    if (name == p.name) return std::make_unique<PatternSource>(p.pattern, requests, capacity);
  return nullptr;
}

}  // namespace edgenpu::hardware
