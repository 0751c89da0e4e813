// SPDX-License-Identifier: MIT
// HandlerWatch: notices handlers that hold their loop for long, and when a connection's turn has lasted long enough.
#pragma once

#include "base/clock.h"
#include "net/loop.h"
#include "server/loop_metrics.h"
#include "server/server_state.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace trunkline::server {

/// Watches the handlers of one loop, on its thread only. It reads the clock once for a batch of events and once for a
/// number of handlers: 16 while they are quick, and each one while they are slow, so that the slow one can be named.
class HandlerWatch {
 public:
  /// The arguments must outlive this object.
  HandlerWatch(net::Loop& loop, const ServerState& server_state, LoopMetrics& metrics) noexcept
      : loop_(loop),
        server_state_(server_state),
        metrics_(metrics),
        threshold_(server_state.options.slow_handler_threshold) {}
  HandlerWatch(const HandlerWatch&) = delete;
  HandlerWatch& operator=(const HandlerWatch&) = delete;

  /// Begins a batch of events at `now`, or at the last reading of the clock if that is later: the loop reads it once
  /// for the batches of all its connections. Batches nest if a handler runs the loop; then neither is watched.
  void begin_batch(base::TimePoint now) noexcept {
    turn_began_ = checked_ = std::max(now, checked_);
    turns_ = loop_.turns();
    noted_ = 0;
  }
  /// Notes that a handler of `method` is about to begin. The name must live until the batch ends.
  void note(const std::string& method) noexcept { recent_[noted_++] = &method; }
  /// Checks the time after an event. Returns true if the turn has lasted long enough.
  bool is_over() { return noted_ >= interval_ && check(); }
  void end_batch() {
    if (noted_ > 0) check();
  }

 private:
  static constexpr std::size_t longest_interval = 16;

  bool check();
  void report(base::Duration held);

  net::Loop& loop_;
  const ServerState& server_state_;
  LoopMetrics& metrics_;
  /// The time from which a handler is reported; 0: nothing is reported.
  const base::Duration threshold_;
  base::TimePoint turn_began_{};
  base::TimePoint checked_{};
  /// The number of the loop's turns when the clock was read last.
  std::uint64_t turns_ = 0;
  /// The number of handlers that begin between two readings of the clock.
  std::size_t interval_ = 1;
  std::size_t noted_ = 0;
  std::array<const std::string*, longest_interval> recent_{};
};

}  // namespace trunkline::server
