// SPDX-License-Identifier: MIT
// LoopMetrics: the metrics of one loop and of the methods that it serves, while a server collects statistics.
#pragma once

#include "base/shared_histogram.h"
#include "base/timer_wheel.h"
#include "net/loop.h"
#include "server/call_metrics.h"
#include "server/loop_method.h"
#include "server/method_metrics.h"
#include "server/method_registry.h"

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace trunkline::server {

/// Metrics that the loop's thread writes. Any thread may call visit() and add_lag_to(). Nothing is collected until
/// start() and after stop().
class LoopMetrics {
 public:
  /// `loop` must live from start() to stop().
  explicit LoopMetrics(net::Loop& loop) noexcept : loop_(loop) {}
  LoopMetrics(const LoopMetrics&) = delete;
  LoopMetrics& operator=(const LoopMetrics&) = delete;

  /// Counts calls from now on and measures how late the loop's timers are. Does nothing after stop().
  void start();
  void stop() noexcept;

  /// Counts a call that has arrived. The result is empty while nothing is collected.
  CallMetrics begin_call(LoopMethod& method) { return is_collecting_ ? begin_collected_call(method) : CallMetrics(); }
  /// Counts a call that was refused before its request was decoded.
  void count_refusal(LoopMethod& method, StatusCode code) {
    if (is_collecting_) count_collected_refusal(method, code);
  }
  /// Counts that a handler of the method has held the loop for long.
  void count_hold(const std::string& method);
  /// Forgets the methods that are not in `methods`.
  void keep_only(const MethodRegistry::Methods& methods);

  /// Calls `visitor` for each method that has been called. It must not call this object.
  void visit(const std::function<void(const std::string& method, const MethodMetrics& metrics)>& visitor) const;
  /// Adds how late timers fired, in nanoseconds.
  void add_lag_to(base::Histogram& out) const noexcept { lag_.add_to(out); }

 private:
  static void on_lag_timer(base::Timer& timer, void* owner, base::TimePoint now);
  MethodMetrics& metrics_of(LoopMethod& method);
  CallMetrics begin_collected_call(LoopMethod& method);
  void count_collected_refusal(LoopMethod& method, StatusCode code);

  net::Loop& loop_;
  bool is_collecting_ = false;
  bool is_stopped_ = false;
  base::Timer lag_timer_{on_lag_timer, this};
  base::SharedHistogram lag_;
  /// Guards methods_. The loop takes it only when methods are added and removed, and when one has held it.
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<MethodMetrics>> methods_;
};

}  // namespace trunkline::server
