#include "activity/buckets.h"

#include "base/error.h"

namespace edgenpu::activity {

void BucketClock::enter(Bucket bucket, Femtoseconds now) {
  if (now < since_) throw InternalError("an engine's time ran backwards");
  if (timeline_ && now > since_)
    timeline_->add(series_[static_cast<std::size_t>(current_)], (now - since_).count(), since_, now);
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
  copy.timeline_ = nullptr;
  copy.enter(Bucket::idle, end);
  return copy.times_;
}

BucketTimes BucketClock::finish(Femtoseconds end) const {
  BucketTimes sum{};
  for (const BucketTimes& op : by_operator(end))
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += op[i];
  return sum;
}

void BucketClock::record(Timeline& timeline, const std::string& name) {
  for (std::size_t b = 0; b < series_.size(); ++b)
    series_[b] = timeline.declare(name + "." + kBucketNames[b]);
  timeline_ = &timeline;
}

void BucketClock::finish_recording(Femtoseconds end) {
  if (timeline_ && end > since_) enter(current_, end);
}

}  // namespace edgenpu::activity
