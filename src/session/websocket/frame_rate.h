// SPDX-License-Identifier: MIT
// FrameRate: how many frames without content a peer may send.
#pragma once

#include "base/clock.h"

#include <chrono>
#include <cstdint>

namespace trunkline::session::websocket {

/// Control frames and empty frames carry nothing for calls, and no credit bounds them. Nobody needs many: a ping in a
/// second is much.
class FrameRate {
 public:
  static constexpr std::uint32_t max_per_second = 1000;

  /// One more such frame has come. Returns false if it is one too many.
  bool add(base::TimePoint now) noexcept {
    if (now - since_ >= std::chrono::seconds(1)) {
      since_ = now;
      count_ = 0;
    }
    return ++count_ <= max_per_second;
  }

 private:
  base::TimePoint since_{};
  std::uint32_t count_ = 0;
};

}  // namespace trunkline::session::websocket
