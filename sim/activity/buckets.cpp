#include "activity/buckets.h"

#include "base/error.h"

namespace edgenpu::activity {

void BucketClock::enter(Bucket bucket, Femtoseconds now) {
  if (now < since_) throw InternalError("an engine's time ran backwards");
  times_[static_cast<std::size_t>(index(op_))][static_cast<std::size_t>(current_)] += now - since_;
  current_ = bucket;
  since_ = now;
}

void BucketClock::at_operator(OperatorId op, Femtoseconds now) {
  enter(current_, now);
  op_ = op;
}

std::vector<BucketTimes> BucketClock::by_operator(Femtoseconds end) const {
  BucketClock copy = *this;
  copy.enter(Bucket::idle, end);
  return copy.times_;
}

BucketTimes BucketClock::finish(Femtoseconds end) const {
  BucketTimes sum{};
  for (const BucketTimes& op : by_operator(end))
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += op[i];
  return sum;
}

}  // namespace edgenpu::activity
