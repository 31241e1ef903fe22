#include "hardware/npu/bank_pool.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/rates.h"
#include "timing/bank_conflicts.h"

namespace edgenpu::hardware {

namespace {
constexpr Femtoseconds kNever(std::numeric_limits<std::int64_t>::max());
}

BankPool::BankPool(int banks, int ports, Bytes width, Hertz clock)
    : banks_(banks),
      ports_(ports),
      width_(static_cast<double>(width.count())),
      femtoseconds_per_cycle_(static_cast<double>(kFemtosecondsPerSecond) /
                              static_cast<double>(clock.count())),
      streams_(kStreams) {}

void BankPool::set_path(int stream, Bytes per_cycle) {
  Stream& s = streams_[static_cast<std::size_t>(stream)];
  const double most = static_cast<double>(banks_) * ports_;
  s.words = std::min(most, static_cast<double>(per_cycle.count()) / width_);
  s.fs_per_byte = femtoseconds_per_cycle_ / (s.words * width_);
  s.bytes_per_fs.assign(std::size_t{1} << kStreams, -1.0);
}

double BankPool::rate(int stream, unsigned older) {
  Stream& s = streams_[static_cast<std::size_t>(stream)];
  double& known = s.bytes_per_fs[older];
  if (known >= 0) return known;
  std::vector<double> widths;
  for (int i = 0; i < kStreams; ++i)
    if (older >> i & 1U) widths.push_back(streams_[static_cast<std::size_t>(i)].words);
  return known = timing::expected_words(banks_, ports_, s.words, widths) * width_ / femtoseconds_per_cycle_;
}

Femtoseconds BankPool::end_beside_others(int stream, Femtoseconds begin, Bytes bytes) {
  double left = static_cast<double>(bytes.count());
  for (Femtoseconds now = begin;;) {
    unsigned older = 0;
    Femtoseconds change = kNever;
    for (int i = 0; i < kStreams; ++i) {
      const Stream& other = streams_[static_cast<std::size_t>(i)];
      if (i == stream || other.until <= now) continue;
      if (other.from <= now) older |= 1U << i;
      change = std::min(change, other.from <= now ? other.until : other.from);
    }
    const double per_fs = rate(stream, older);
    const double needed = per_fs > 0 ? std::floor(left / per_fs + 0.5) : HUGE_VAL;
    if (change == kNever || needed <= static_cast<double>((change - now).count()))
      return now + Femtoseconds(static_cast<std::int64_t>(needed));
    left -= per_fs * static_cast<double>((change - now).count());
    now = change;
  }
}

}  // namespace edgenpu::hardware
