// SPDX-License-Identifier: MIT
// MemoryPause: a time in which a session does not read for want of memory.
#pragma once

#include "base/clock.h"

#include <chrono>

namespace trunkline::session::native {

/// Says when the peer is to be shown that this side is alive: it gets no pongs meanwhile, and must not take the silence
/// for the end.
class MemoryPause {
 public:
  /// The interval is a tenth of the default keepalive_timeout of channels.
  static constexpr std::chrono::milliseconds interval{2000};

  bool is_on() const noexcept { return is_on_; }
  /// Nothing is read from now on. Does nothing while that is so already.
  void begin(base::TimePoint now) noexcept {
    if (is_on_) return;
    is_on_ = true;
    shown_ = now;
  }
  /// Something has been read.
  void end() noexcept { is_on_ = false; }
  /// Returns true once in each interval of the pause.
  bool must_show_life(base::TimePoint now) noexcept {
    if (!is_on_ || now - shown_ < interval) return false;
    shown_ = now;
    return true;
  }

 private:
  bool is_on_ = false;
  base::TimePoint shown_{};
};

}  // namespace trunkline::session::native
