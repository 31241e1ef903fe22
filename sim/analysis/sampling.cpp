#include "analysis/sampling.h"

#include <algorithm>
#include <numeric>

namespace edgenpu::analysis {

namespace {

// splitmix64 (Steele, Lea and Flood, 2014): a stream for each number, so that one more number moves no
// other's.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15ULL;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ z >> 27) * 0x94D049BB133111EBULL;
    return z ^ z >> 31;
  }
  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

 private:
  std::uint64_t state_;
};

std::uint64_t stream(std::uint64_t seed, const std::string& name) {
  std::uint64_t h = 0xcbf29ce484222325ULL ^ seed * 0x9E3779B97F4A7C15ULL;
  for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return h;
}

}  // namespace

std::vector<double> stratified(std::int64_t n, std::uint64_t seed, const std::string& name) {
  Random random(stream(seed, name));
  std::vector<double> q(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < q.size(); ++i)
    q[i] = (static_cast<double>(i) + random.unit()) / static_cast<double>(n);
  for (std::size_t i = q.size(); i > 1; --i) std::swap(q[i - 1], q[random.next() % i]);
  return q;
}

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  const double at = q * static_cast<double>(values.size() - 1);
  const auto i = static_cast<std::size_t>(at);
  if (i + 1 >= values.size()) return values.back();
  return values[i] + (at - static_cast<double>(i)) * (values[i + 1] - values[i]);
}

double variance(const std::vector<double>& x) {
  if (x.size() < 2) return 0;
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
  double sum = 0;
  for (const double v : x) sum += (v - mean) * (v - mean);
  return sum / static_cast<double>(x.size());
}

double squared_correlation(const std::vector<double>& x, const std::vector<double>& y) {
  const auto n = static_cast<double>(x.size());
  const double mx = std::accumulate(x.begin(), x.end(), 0.0) / n,
               my = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) xy += (x[i] - mx) * (y[i] - my);
  const double all = variance(x) * variance(y);
  return all > 0 ? xy * xy / n / n / all : 0;
}

}  // namespace edgenpu::analysis
