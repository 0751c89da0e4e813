// SPDX-License-Identifier: MIT
// LoopTally: what one loop counts while a server collects statistics.
#pragma once

#include "base/shared_histogram.h"
#include "base/timer_wheel.h"
#include "net/loop.h"
#include "server/method_registry.h"
#include "server/method_tally.h"

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace trunkline::server {

/// For the loop's thread, except visit() and add_lag_to().
class LoopTally {
 public:
  /// `loop` outlives start() to stop().
  explicit LoopTally(net::Loop& loop) noexcept : loop_(loop) {}
  LoopTally(const LoopTally&) = delete;
  LoopTally& operator=(const LoopTally&) = delete;

  /// Begins to measure how late the loop's timers are.
  void start();
  void stop() noexcept { lag_timer_.cancel(); }
  std::shared_ptr<MethodTally> tally_of(const std::string& method);
  /// Forgets methods that are not among these.
  void keep_only(const MethodRegistry::Methods& methods);

  void visit(const std::function<void(const std::string& method, const MethodTally& tally)>& visitor) const;
  void add_lag_to(base::Histogram& out) const noexcept { lag_.add_to(out); }

 private:
  static void on_lag_timer(base::Timer& timer, void* owner, base::TimePoint now);

  net::Loop& loop_;
  base::Timer lag_timer_{on_lag_timer, this};
  base::SharedHistogram lag_;
  mutable std::mutex mutex_;  // held by the loop when methods come and go
  std::unordered_map<std::string, std::shared_ptr<MethodTally>> methods_;
};

}  // namespace trunkline::server
