// SPDX-License-Identifier: MIT
// LoadRun: executes a plan, from connecting to the report.
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

/// The progress of a run, reported about ten times per second.
struct Progress {
  enum class Phase : unsigned char { connecting, warming, measuring, draining };
  Phase phase = Phase::connecting;
  /// The seconds since the phase began.
  double elapsed_seconds = 0;
  /// The planned length of the phase; 0: it is not known.
  double planned_seconds = 0;
  /// The part of the total that has ended, if the total ends the run.
  double fraction = 0;
  /// The number of successful calls, or of messages of bidirectional streams.
  std::uint64_t ended = 0;
  std::uint64_t failed = 0;
  /// The number of calls in progress.
  std::size_t open = 0;
  /// The recording of the last second; null until one second has been measured.
  const Recording* second = nullptr;
  double second_length = 0;
  bool is_new_second = false;
};
using ProgressCallback = std::function<void(const Progress&)>;

class LoadRun {
 public:
  /// Makes a run. Throws std::invalid_argument for an inconsistent plan.
  explicit LoadRun(LoadPlan plan);
  ~LoadRun();

  /// Runs the plan, once. Blocks, and calls `progress` on this thread. Error: a connection could not be made.
  Result<LoadReport> run(const ProgressCallback& progress);
  /// Ends the run early. Its report has what was measured so far. Any thread may call it, at any time.
  void stop() noexcept { stopped_.store(true, std::memory_order_relaxed); }

 private:
  Status connect(const ProgressCallback& progress);
  void wait_for_tick() const;
  Clock::time_point end_of_measurement() const;
  void sample_usage();
  bool is_done() const;
  void collect(Clock::time_point now);
  void close_second(Clock::time_point until);
  void watch_failures(Clock::time_point now, const Recording& tick);
  void report_progress(const ProgressCallback& progress, Clock::time_point now);
  void end_workers();
  double measured_seconds() const;
  LoadReport report();

  LoadPlan plan_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::unique_ptr<Recording> tick_, second_, last_second_, whole_, late_;
  /// The probe of the server, which is set once the run has connected.
  std::unique_ptr<UsageProbe> probe_;
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
  /// The number of failed calls since the last successful call or message.
  std::uint64_t failures_ = 0;
  RunEnd end_ = RunEnd::complete;
  std::atomic<bool> stopped_{false};
};

}  // namespace trunkline::load
