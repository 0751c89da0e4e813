// SPDX-License-Identifier: MIT
// StatisticsCollector: puts the metrics of all loops together as ServerStatistics.
#pragma once

#include "base/clock.h"
#include "server/server_loops.h"
#include "server/server_state.h"

#include <trunkline/server_statistics.h>
#include <trunkline/server_totals.h>

#include <mutex>

namespace trunkline::server {

/// Collects statistics. It is thread-safe and waits for no loop.
class StatisticsCollector {
 public:
  /// The arguments must outlive this object.
  StatisticsCollector(const ServerState& server_state, const ServerLoops& loops) noexcept
      : server_state_(server_state), loops_(loops) {}
  StatisticsCollector(const StatisticsCollector&) = delete;
  StatisticsCollector& operator=(const StatisticsCollector&) = delete;

  /// Lets all loops collect from now on. Does nothing the second time.
  void start();
  ServerTotals totals() const;
  ServerStatistics statistics() const;

 private:
  const ServerState& server_state_;
  const ServerLoops& loops_;
  /// Guards the members below.
  mutable std::mutex mutex_;
  bool is_started_ = false;
  base::TimePoint started_{};
};

}  // namespace trunkline::server
