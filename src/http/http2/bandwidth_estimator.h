// SPDX-License-Identifier: MIT
// BandwidthEstimator: measures the bandwidth-delay product, which says how large the window of a stream should be.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

namespace trunkline::http::http2 {

/// A sample is what the peer sends until it answers a ping. If that is most of a window, the window may be what limits
/// the peer, and it is made twice as large as the sample. This goes on as long as it makes the peer faster; otherwise
/// it would only lengthen the queues on the way. Samples follow each other without a gap, so that it does not matter
/// where in a burst they begin, until some in a row have had no effect.
class BandwidthEstimator {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  /// The window never grows beyond `max_window`.
  BandwidthEstimator(std::uint32_t window, std::uint32_t max_window) noexcept
      : window_(window), max_window_(std::max(window, max_window)) {}

  std::uint32_t window() const noexcept { return window_; }
  /// Counts DATA of `bytes` that has come. Returns true if a ping is to be sent. Short messages cause none, and where
  /// the window did not grow, more and more bytes go by before the next one.
  bool add(std::uint32_t bytes, TimePoint now) noexcept {
    bytes_ += bytes;
    const bool begins = !is_sampling_ && window_ < max_window_ && bytes >= least_bytes && bytes_ >= pause_;
    if (!begins) return false;
    is_sampling_ = true;
    began_ = now;
    bytes_ = bytes;
    return true;
  }
  /// Ends a sample when a ping was answered. `may_grow`: there is memory for a larger window. True: it has grown.
  bool end(TimePoint now, bool may_grow) noexcept {
    if (!is_sampling_) return false;
    const std::uint64_t bytes = std::exchange(bytes_, 0);
    const std::chrono::duration<double> time =
        std::max<std::chrono::nanoseconds>(now - std::exchange(began_, now), shortest);
    const double bandwidth = static_cast<double>(bytes) / time.count();
    const bool grows = may_grow && bytes * 3 >= std::uint64_t{window_} * 2 && bandwidth > best_;
    if (grows) {
      best_ = bandwidth;
      window_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(2 * bytes, max_window_));
      failures_ = 0;
      pause_ = 0;
    } else if (bytes == 0) {
      // The transfer has ended. Servers of gRPC count pings of a client to which they send nothing.
      failures_ = 0;
      is_sampling_ = false;
    } else if (++failures_ == max_failures) {
      failures_ = 0;
      is_sampling_ = false;
      pause_ = std::clamp<std::uint64_t>(2 * pause_, window_, std::uint64_t{max_pause_windows} * window_);
    }
    is_sampling_ = is_sampling_ && window_ < max_window_;
    return grows;
  }
  /// Returns true after end() if another ping is to be sent.
  bool is_sampling() const noexcept { return is_sampling_; }

 private:
  static constexpr std::chrono::microseconds shortest{1};
  static constexpr std::uint32_t least_bytes = 4096;
  static constexpr std::uint32_t max_failures = 3;
  static constexpr std::uint32_t max_pause_windows = 64;

  std::uint32_t window_;
  const std::uint32_t max_window_;
  bool is_sampling_ = false;
  TimePoint began_{};
  /// The bytes of the sample, or those since it ended.
  std::uint64_t bytes_ = 0;
  /// The number of samples in a row without an effect.
  std::uint32_t failures_ = 0;
  /// The number of bytes that go by before the next sample.
  std::uint64_t pause_ = 0;
  /// The best rate so far, in bytes per second.
  double best_ = 0;
};

}  // namespace trunkline::http::http2
