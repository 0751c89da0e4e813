// SPDX-License-Identifier: MIT
// ReceiveWindows: what the peer may send, and when it may send more.
#pragma once

#include "base/output_queue.h"
#include "http/http2/bandwidth_estimator.h"
#include "http/http2/settings.h"
#include "http/http2/stream.h"

#include <trunkline/connection_limits.h>

#include <algorithm>
#include <cstdint>

namespace trunkline::http::http2 {

/// Owns the connection's window; the window of a stream is in its Stream. Windows are opened again by half their
/// size at a time. The windows of streams grow with the bandwidth-delay product, to half of the connection's at most,
/// so that a message that waits for room does not keep others from passing.
class ReceiveWindows {
 public:
  /// `side` is this one. Both references outlive the object.
  ReceiveWindows(Sender side, const ConnectionLimits& limits, base::OutputQueue& output) noexcept
      : side_(side),
        limits_(limits),
        output_(output),
        window_(limits.connection_credit_bytes),
        estimator_(limits.call_credit_bytes,
                   std::min(limits.max_call_credit_bytes, limits.connection_credit_bytes / 2)) {}

  /// Returns the window with which streams begin. A server may interleave the responses to all calls, so a client's
  /// streams begin with little, that is, with room for a message of 64 KiB. Only what is consumed, or has room, opens
  /// their windows to all of call_credit_bytes.
  static std::uint32_t first_window(Sender side, const ConnectionLimits& limits) noexcept {
    constexpr std::uint32_t least_bytes = 128 << 10;
    return side == Sender::client ? std::min(least_bytes, limits.call_credit_bytes) : limits.call_credit_bytes;
  }

  /// A DATA frame of `bytes` has come. Returns false for a FLOW_CONTROL_ERROR of the connection.
  [[nodiscard]] bool charge(std::uint32_t bytes) noexcept { return window_.take(bytes); }
  /// A DATA frame of `bytes` has come on the stream. Returns false for a FLOW_CONTROL_ERROR of the stream.
  [[nodiscard]] static bool charge(Stream& stream, std::uint32_t bytes) noexcept {
    return stream.receive_window.take(bytes);
  }
  /// `bytes` of the connection's window have been consumed.
  void give_back(std::uint32_t bytes);
  /// `bytes` of the stream's window have been consumed. The stream's debt is settled first.
  void give_back(Stream& stream, std::int64_t bytes);
  /// `bytes` belong to a message that waits for room. Up to half a window of them opens the window again at once, so
  /// that other messages pass. At a client all of them do, because a client itself decides how many calls there are.
  void add_waiting(std::uint32_t bytes);
  /// `bytes` given to add_waiting() do not wait any longer.
  void drop_waiting(std::uint32_t bytes);
  /// Waiting messages have used up the window, so that no message can go on, not even one that has room.
  bool is_used_up_by_waiting() const noexcept { return withheld() > 0 && window_.available() < least_update; }
  /// Opens the window a little further for waiting messages, until little waits. Windows of streams bound how often.
  void open_for_waiting();
  std::uint32_t left() const noexcept { return window_.available(); }
  /// Returns the size to which the window of a stream is opened.
  std::uint32_t stream_bytes() const noexcept { return estimator_.window(); }
  BandwidthEstimator& estimator() noexcept { return estimator_; }

 private:
  static constexpr std::uint32_t least_update = 16 << 10;

  std::uint64_t withheld() const noexcept {
    const std::uint64_t most = limits_.connection_credit_bytes / 2 + further_;
    return side_ == Sender::server && waiting_ > most ? waiting_ - most : 0;
  }
  void write_update(std::uint32_t stream, std::uint32_t bytes);

  const Sender side_;
  const ConnectionLimits& limits_;
  base::OutputQueue& output_;
  FlowWindow window_;
  BandwidthEstimator estimator_;
  std::uint32_t returnable_ = 0;
  std::uint64_t waiting_ = 0;
  /// This many bytes more than half a window may wait before the window is kept shut for them.
  std::uint64_t further_ = 0;
};

}  // namespace trunkline::http::http2
