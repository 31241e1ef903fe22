#include "hardware/memory/traffic.h"

#include <algorithm>

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

// How many requests in a row a pattern makes from request i on, i not included.
using RunLength = std::int64_t (*)(std::int64_t i);

std::int64_t none(std::int64_t) {
  return 0;
}
std::int64_t endless(std::int64_t) {
  return INT64_MAX;
}
std::int64_t block_of_16(std::int64_t i) {
  return 15 - i % 16;
}
std::int64_t block_of_64(std::int64_t i) {
  return 63 - i % 64;
}

struct NamedPattern {
  const char* name;
  Pattern pattern;
  RunLength run;
};
constexpr NamedPattern kPatterns[] = {
    {"seq_rd", seq_rd, endless},        {"seq_w10", seq_w10, none},
    {"sep_w10", sep_w10, none},         {"streams4_off", streams4_off, none},
    {"streams4_al", streams4_al, none}, {"streams4_1k", streams4_1k, block_of_16},
    {"rand64", rand64, none},           {"gather4k", gather4k, block_of_64}};

class PatternSource : public TrafficSource {
 public:
  PatternSource(const NamedPattern& pattern, std::int64_t requests, std::int64_t capacity)
      : pattern_(pattern), requests_(requests), state_{capacity, {}} {}
  bool next(TrafficRequest& request) override {
    if (i_ == requests_) return false;
    request = pattern_.pattern(i_++, state_);
    if (request.address >= state_.capacity) request.address %= state_.capacity;
    last_ = request.address;
    return true;
  }
  bool in_runs() const override { return true; }
  std::int64_t take_run(std::int64_t most) override {
    const std::int64_t to_end = (state_.capacity - last_) / kRequest - 1;
    const std::int64_t n = std::min({most, requests_ - i_, pattern_.run(i_ - 1), to_end});
    i_ += n;
    last_ += n * kRequest;
    return n;
  }

 private:
  const NamedPattern& pattern_;
  std::int64_t requests_, i_ = 0, last_ = 0;
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
    if (name == p.name) return std::make_unique<PatternSource>(p, requests, capacity);
  return nullptr;
}

}  // namespace edgenpu::hardware
