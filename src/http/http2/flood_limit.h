// SPDX-License-Identifier: MIT
// FloodLimit: limits the frames that cost a peer nothing.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace trunkline::http::http2 {

/// Counts PING, SETTINGS, PRIORITY, RST_STREAM, WINDOW_UPDATE, unknown and empty frames. Work that both sides have of
/// each other, and time, allow for more of them. A peer may return the window of each DATA frame at once, and that of a
/// long one in parts, as HAProxy does, with a WINDOW_UPDATE for the stream and one for the connection each time; these
/// are not counted.
class FloodLimit {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  static constexpr std::uint32_t max_frames = 2048;
  static constexpr std::uint32_t per_work = 8;
  static constexpr std::chrono::milliseconds per_frame{5};
  static constexpr std::uint64_t updates_per_part = 2;
  static constexpr std::uint64_t part_bytes = 8192;
  /// The number of updates that a peer may make up for after it has received much without returning windows.
  static constexpr std::uint64_t max_late_updates = 65536;

  explicit FloodLimit(TimePoint now) noexcept : since_(now) {}

  /// Says that a call has begun, or data has been sent or received.
  void worked() noexcept { frames_ -= std::min(frames_, per_work); }
  /// Counts a frame that has come, or one that costs as much as `frames`. Returns false at ENHANCE_YOUR_CALM: too many.
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

  /// Counts a WINDOW_UPDATE that has come. So far `data_frames` DATA frames have been sent whose window is worth
  /// returning, and `data_bytes` in all.
  [[nodiscard]] bool add_window_update(TimePoint now, std::uint64_t data_frames, std::uint64_t data_bytes) noexcept {
    const std::uint64_t owed = updates_per_part * (data_frames + data_bytes / part_bytes);
    updates_ = std::max(updates_, owed - std::min(owed, max_late_updates));
    if (updates_ >= owed) return add(now);
    ++updates_;
    return true;
  }

 private:
  std::uint32_t frames_ = 0;
  /// The number of WINDOW_UPDATE frames that were not counted, and of those that are too late for it.
  std::uint64_t updates_ = 0;
  TimePoint since_;
};

}  // namespace trunkline::http::http2
