// SPDX-License-Identifier: MIT
// PublishedRecordings: hands what a worker has recorded to the thread that reports it.
#pragma once

#include "load/load_plan.h"
#include "load/recording.h"

#include <memory>
#include <mutex>

namespace trunkline::load {

/// Any thread.
class PublishedRecordings {
 public:
  /// Adds what was recorded up to `now`.
  void publish(const Recording& recording, Clock::time_point now);
  /// Adds what ended after the measurement.
  void publish_late(const Recording& recording);
  /// Moves what was published since the last call into `into`, and what ended late into `late`. Returns the time up to
  /// which `into` counts.
  Clock::time_point collect(Recording& into, Recording& late);

 private:
  std::mutex mutex_;
  Recording measured_;
  /// Null until a call ends late.
  std::unique_ptr<Recording> late_;
  Clock::time_point published_at_{};
};

}  // namespace trunkline::load
