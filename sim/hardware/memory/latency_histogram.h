// Latencies of requests: how many took how long, how much of it they waited.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "result/memory_result.h"

namespace edgenpu::hardware {

// Latencies in clocks: exact to kFine, then by powers of two over eight steps.
class LatencyHistogram {
 public:
  LatencyHistogram() : bins_(kFine + 64 * 8) {}

  void add(std::int64_t latency, std::int64_t queue, std::int64_t n = 1) {
    if (n <= 0) return;
    count_ += n;
    sum_ += n * latency;
    queue_ += n * queue;
    max_ = std::max(max_, latency);
    bins_[bin(latency)] += n;
  }
  void add(const LatencyHistogram& o) {
    count_ += o.count_;
    sum_ += o.sum_;
    queue_ += o.queue_;
    max_ = std::max(max_, o.max_);
    for (std::size_t i = 0; i < bins_.size(); ++i) bins_[i] += o.bins_[i];
  }
  // The smallest latency that a share of the requests does not exceed.
  std::int64_t quantile(double share) const {
    const auto wanted = static_cast<std::int64_t>(share * static_cast<double>(count_) + 0.999999);
    std::int64_t seen = 0;
    for (std::size_t i = 0; i < bins_.size(); ++i)
      if ((seen += bins_[i]) >= wanted && seen > 0) return std::min(upper(i), max_);
    return max_;
  }
  result::MemoryLatency summary(double period_ns, double extra_ns) const {
    result::MemoryLatency l;
    l.count = count_;
    if (count_ == 0) return l;
    const auto n = static_cast<double>(count_);
    l.mean = static_cast<double>(sum_) / n * period_ns + extra_ns;
    l.queue_mean = static_cast<double>(queue_) / n * period_ns;
    l.service_mean = l.mean - l.queue_mean;
    l.p50 = static_cast<double>(quantile(0.5)) * period_ns + extra_ns;
    l.p99 = static_cast<double>(quantile(0.99)) * period_ns + extra_ns;
    l.max = static_cast<double>(max_) * period_ns + extra_ns;
    return l;
  }
  // By powers of two.
  std::vector<result::LatencyBin> coarse(double period_ns, double extra_ns) const {
    std::vector<result::LatencyBin> out;
    std::int64_t limit = 16, n = 0;
    for (std::size_t i = 0; i < bins_.size() && count_ > 0; ++i) {
      while (upper(i) > limit) {
        if (n > 0 || !out.empty()) out.push_back({static_cast<double>(limit) * period_ns + extra_ns, n});
        n = 0;
        if (limit >= max_) return out;
        limit *= 2;
      }
      n += bins_[i];
    }
    return out;
  }

 private:
  static constexpr std::size_t kFine = 4096;

  static std::size_t bin(std::int64_t v) {
    const auto u = static_cast<std::size_t>(v);
    if (u < kFine) return u;
    const int top = 63 - __builtin_clzll(u);
    return kFine + static_cast<std::size_t>(top - 12) * 8 + ((u >> (top - 3)) & 7);
  }
  static std::int64_t upper(std::size_t i) {
    if (i < kFine) return static_cast<std::int64_t>(i);
    const std::size_t top = (i - kFine) / 8 + 12, step = (i - kFine) % 8;
    if (top > 61) return INT64_MAX / 2;
    return (static_cast<std::int64_t>(step + 9) << (top - 3)) - 1;
  }

  std::vector<std::int64_t> bins_;
  std::int64_t count_ = 0, sum_ = 0, queue_ = 0, max_ = 0;
};

}  // namespace edgenpu::hardware
