// SPDX-License-Identifier: MIT
// CallMetrics: adds one call to the metrics of its method.
#pragma once

#include "base/clock.h"
#include "server/method_metrics.h"
#include "session/event.h"

#include <algorithm>
#include <cstdint>

namespace trunkline::server {

/// One call's metrics, empty while the server collects no statistics; each function then costs one comparison. Only the
/// loop's thread uses it. The metrics of the method must live until the call ends: its LoopMethod holds them.
class CallMetrics {
 public:
  CallMetrics() noexcept = default;
  CallMetrics(MethodMetrics& method, base::TimePoint started) noexcept : method_(&method), started_(started) {
    method.started.add();
  }

  bool is_collected() const noexcept { return method_ != nullptr; }
  void count_received(const session::Event& event) noexcept {
    if (is_collected() && event.has_message) {
      method_->bytes_received.add(static_cast<std::int64_t>(event.wire_bytes));
    }
  }
  /// Returns the counter of sent bytes. May be called only while is_collected().
  base::Counter& bytes_sent() noexcept { return method_->bytes_sent; }
  /// Sets the status to count if the call ends without a response. Otherwise it counts as cancelled.
  void set_status_without_response(StatusCode code) noexcept { status_without_response_ = code; }

  /// Counts the end of the call. May be called only while is_collected(), which turns false.
  void end(StatusCode code, base::TimePoint now) noexcept {
    method_->latency.record(static_cast<std::uint64_t>(std::max(base::Duration::zero(), now - started_).count()));
    method_->count_finished(code);
    method_ = nullptr;
  }
  void end_without_response(base::TimePoint now) noexcept { end(status_without_response_, now); }

 private:
  MethodMetrics* method_ = nullptr;
  base::TimePoint started_{};
  StatusCode status_without_response_ = StatusCode::cancelled;
};

}  // namespace trunkline::server
