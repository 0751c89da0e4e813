// SPDX-License-Identifier: MIT
// PublishedRecordings: hands the recordings of a worker to the thread that reports them.
#pragma once

#include "load/load_plan.h"
#include "load/recording.h"

#include <memory>
#include <mutex>

namespace trunkline::load {

/// Holds the recordings. Any thread may use it.
class PublishedRecordings {
 public:
  /// Adds what was recorded up to `now`.
  void publish(const Recording& recording, Clock::time_point now);
  /// Adds the calls that ended after the measurement.
  void publish_late(const Recording& recording);
  /// Moves what was published since the last call into `into`, and what ended late into `late`. Returns the time up to
  /// which `into` counts.
  Clock::time_point collect(Recording& into, Recording& late);

 private:
  std::mutex mutex_;
  Recording measured_;
  /// The recording of late calls; null until a call ends late.
  std::unique_ptr<Recording> late_;
  Clock::time_point published_at_{};
};

}  // namespace trunkline::load
