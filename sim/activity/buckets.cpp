#include "activity/buckets.h"

#include "base/error.h"

namespace edgenpu::activity {

void BucketClock::enter(Bucket bucket, Femtoseconds now) {
  if (now < since_) throw InternalError("an engine's time ran backwards");
  times_[static_cast<std::size_t>(current_)] += now - since_;
  current_ = bucket;
  since_ = now;
}

BucketTimes BucketClock::finish(Femtoseconds end) const {
  BucketClock copy = *this;
  copy.enter(Bucket::idle, end);
  return copy.times_;
}

}  // namespace edgenpu::activity
