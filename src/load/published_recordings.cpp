// SPDX-License-Identifier: MIT
// PublishedRecordings: publishes and collects under one lock.
#include "load/published_recordings.h"

namespace trunkline::load {

void PublishedRecordings::publish(const Recording& recording, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  published_at_ = now;
  measured_.merge(recording);
}

void PublishedRecordings::publish_late(const Recording& recording) {
  const std::lock_guard lock(mutex_);
  if (!late_) late_ = std::make_unique<Recording>();
  late_->merge(recording);
}

Clock::time_point PublishedRecordings::collect(Recording& into, Recording& late) {
  const std::lock_guard lock(mutex_);
  into.merge(measured_);
  measured_.clear();
  if (late_) late.merge(*late_);
  late_.reset();
  return published_at_;
}

}  // namespace trunkline::load
