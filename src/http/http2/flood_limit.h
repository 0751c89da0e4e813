// SPDX-License-Identifier: MIT
// FloodLimit: how many frames that cost a peer nothing it may send.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace trunkline::http::http2 {

/// Counts PING, SETTINGS, PRIORITY, RST_STREAM, WINDOW_UPDATE, unknown and empty frames. Work that both sides have of
/// each other, and time, allow for more of them.
class FloodLimit {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  static constexpr std::uint32_t max_frames = 2048;
  static constexpr std::uint32_t per_work = 8;
  static constexpr std::chrono::milliseconds per_frame{5};

  explicit FloodLimit(TimePoint now) noexcept : since_(now) {}

  /// A call has begun, or data has been sent or received.
  void worked() noexcept { frames_ -= std::min(frames_, per_work); }
  /// Another such frame has come, or one that costs as much as `frames`. False: they are too many, ENHANCE_YOUR_CALM.
  [[nodiscard]] bool add(TimePoint now, std::uint32_t frames = 1) noexcept {
    frames_ += frames;
    if (frames_ <= max_frames / 2) return true;
    const auto passed = (now - since_) / per_frame;
    if (passed > 0) {
      frames_ -= static_cast<std::uint32_t>(std::min<std::int64_t>(frames_, passed));
      since_ = now;
    }
    return frames_ <= max_frames;
  }

 private:
  std::uint32_t frames_ = 0;
  TimePoint since_;
};

}  // namespace trunkline::http::http2
