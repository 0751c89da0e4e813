// SPDX-License-Identifier: MIT
// LoadRun: a plan carried out, from connecting to the report.
#pragma once

#include "base/process_usage.h"
#include "load/load_plan.h"
#include "load/load_report.h"
#include "load/recording.h"
#include "load/usage_probe.h"
#include "load/worker.h"

#include <trunkline/result.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace trunkline::load {

/// Where a run stands, some ten times a second.
struct Progress {
  enum class Phase : unsigned char { connecting, warming, measuring, draining };
  Phase phase = Phase::connecting;
  double elapsed_seconds = 0;  ///< of the phase
  double asked_seconds = 0;    ///< of the phase; 0: not known
  double fraction = 0;         ///< of the whole total, where that is what ends the run
  std::uint64_t ended = 0;     ///< well: calls, or messages of bidirectional streams
  std::uint64_t failed = 0;
  std::size_t open = 0;               ///< calls under way
  const Recording* second = nullptr;  ///< the last second's, once there is one
  double second_length = 0;
  bool is_new_second = false;
};
using ProgressCallback = std::function<void(const Progress&)>;

class LoadRun {
 public:
  /// Throws std::invalid_argument for a plan that makes no sense.
  explicit LoadRun(LoadPlan plan);
  ~LoadRun();

  /// Once. Blocks; `progress` is called on this thread. Errors: that of the connection that could not be made.
  Result<LoadReport> run(const ProgressCallback& progress);
  /// The run ends early, with what it has. Any thread, any time.
  void stop() noexcept { stopped_.store(true, std::memory_order_relaxed); }

 private:
  Status connect(const ProgressCallback& progress);
  void wait_a_tick() const;
  Clock::time_point end_of_measurement() const;
  void sample_usage();
  bool is_done() const;
  void collect(Clock::time_point now);
  void close_second(Clock::time_point until);
  void watch_failures(Clock::time_point now, const Recording& tick);
  void tell(const ProgressCallback& progress, Clock::time_point now);
  void end_workers();
  double measured_seconds() const;
  LoadReport report();

  LoadPlan plan_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::unique_ptr<Recording> tick_, second_, last_second_, whole_, late_;
  std::unique_ptr<UsageProbe> probe_;  ///< once connected
  base::ProcessUsage before_, after_;
  std::optional<ServerUsage> server_;
  std::vector<SeriesPoint> series_;
  Clock::time_point measured_from_{};
  Clock::time_point second_from_{};
  Clock::time_point collected_until_{};
  Clock::time_point failing_since_{};
  Clock::time_point ended_early_at_ = Clock::time_point::max();
  double last_second_length_ = 0;
  bool is_new_second_ = false;
  bool is_sampled_ = false;
  std::uint64_t failures_ = 0;  ///< since a call or a message came
  RunEnd end_ = RunEnd::complete;
  std::atomic<bool> stopped_{false};
};

}  // namespace trunkline::load
