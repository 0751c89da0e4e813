// SPDX-License-Identifier: MIT
// PingLimit: limits how often a client may ping, by the rules of gRPC (its proposal A8).
#pragma once

#include <chrono>
#include <cstdint>

namespace trunkline::http::http2 {

/// A client may ping once in the least interval, as long as it is sent neither headers nor data: what it is sent shows
/// it that the server is alive, and it measures bandwidth with pings. A ping that comes too early is a strike.
class PingLimit {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  static constexpr std::uint32_t max_strikes = 2;
  /// The least interval for clients without calls.
  static constexpr std::chrono::hours idle_interval{2};

  /// Sets the interval, 0: any number. `allows_idle` says that the interval holds also while no call is open.
  PingLimit(std::chrono::milliseconds min_interval, bool allows_idle) noexcept
      : min_interval_(min_interval), allows_idle_(allows_idle) {}

  /// Counts a ping that is no acknowledgement. `sent` grows with each HEADERS and DATA frame that this side sends.
  /// Returns false if there are too many: ENHANCE_YOUR_CALM with the text "too_many_pings".
  [[nodiscard]] bool add(TimePoint now, std::uint64_t sent, bool has_calls) noexcept {
    if (min_interval_.count() == 0) return true;
    if (sent != sent_) {
      sent_ = sent;
      strikes_ = 0;
      has_last_ = false;
    }
    const std::chrono::milliseconds interval = has_calls || allows_idle_ ? min_interval_ : longest_interval();
    const bool is_early = has_last_ && now - last_ < interval;
    has_last_ = true;
    last_ = now;
    return !is_early || ++strikes_ <= max_strikes;
  }

 private:
  std::chrono::milliseconds longest_interval() const noexcept {
    return min_interval_ > idle_interval ? min_interval_ : std::chrono::milliseconds(idle_interval);
  }

  const std::chrono::milliseconds min_interval_;
  const bool allows_idle_;
  std::uint32_t strikes_ = 0;
  std::uint64_t sent_ = 0;
  bool has_last_ = false;
  TimePoint last_{};
};

}  // namespace trunkline::http::http2
