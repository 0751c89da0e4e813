// SPDX-License-Identifier: MIT
// QuietTimer: returns the memory of a burst to the system when a loop's connections have become quiet.
#pragma once

#include "base/timer_wheel.h"
#include "net/loop.h"

namespace trunkline::server {

/// A timer of one loop, used on its thread only. It fires every second from activity on until the loop keeps no free
/// blocks, and frees those not needed since it fired last. A loop without activity is woken twice or three times.
class QuietTimer {
 public:
  /// `loop` must outlive this object, unless stop() is called before.
  explicit QuietTimer(net::Loop& loop) noexcept : loop_(loop) {}
  QuietTimer(const QuietTimer&) = delete;
  QuietTimer& operator=(const QuietTimer&) = delete;

  /// Notes that a connection has got or sent something, or has closed.
  void note_activity() {
    if (!timer_.is_scheduled() && !is_stopped_) [[unlikely]]
      schedule();
  }
  void stop() noexcept {
    is_stopped_ = true;
    timer_.cancel();
  }

 private:
  static void on_timer(base::Timer& timer, void* self, base::TimePoint now);
  void schedule();

  net::Loop& loop_;
  base::Timer timer_{on_timer, this};
  bool is_stopped_ = false;
};

}  // namespace trunkline::server
