// SPDX-License-Identifier: MIT
// FlowWindow: says how much may still be sent on a stream or connection (RFC 9113, sections 5.2 and 6.9).
#pragma once

#include <cstdint>

namespace trunkline::http::http2 {

/// The window at one end of a stream or connection: the sender's says what it may send, the receiver's what the peer
/// may send. It is at most 2^31 - 1.
class FlowWindow {
 public:
  static constexpr std::uint32_t max_bytes = 0x7FFFFFFF;

  /// Makes a window of `initial` bytes, at most max_bytes.
  explicit FlowWindow(std::uint32_t initial = 65535) noexcept : bytes_(static_cast<std::int32_t>(initial)) {}

  /// Returns the window, which is negative if the initial size was lowered when most was used up (section 6.9.2).
  std::int32_t bytes() const noexcept { return bytes_; }
  /// Returns how much may be sent: 0 if the window is negative.
  std::uint32_t available() const noexcept { return bytes_ > 0 ? static_cast<std::uint32_t>(bytes_) : 0; }

  /// Takes bytes sent or received off the window. Returns false and changes nothing if the window has not so many:
  /// FLOW_CONTROL_ERROR of a peer.
  [[nodiscard]] bool take(std::uint32_t bytes) noexcept {
    if (bytes > available()) return bytes == 0;
    bytes_ -= static_cast<std::int32_t>(bytes);
    return true;
  }
  /// Adds the increment of a WINDOW_UPDATE. Returns false and changes nothing if the window would exceed max_bytes:
  /// FLOW_CONTROL_ERROR of its stream or connection.
  [[nodiscard]] bool add(std::uint32_t increment) noexcept { return move_by(increment); }
  /// Applies a change of SETTINGS_INITIAL_WINDOW_SIZE; both are at most max_bytes. Returns false and changes nothing if
  /// the window would exceed max_bytes: FLOW_CONTROL_ERROR of the connection.
  [[nodiscard]] bool adjust(std::uint32_t old_initial, std::uint32_t new_initial) noexcept {
    return move_by(std::int64_t{new_initial} - std::int64_t{old_initial});
  }

 private:
  bool move_by(std::int64_t difference) noexcept {
    const std::int64_t moved = bytes_ + difference;
    if (moved > std::int64_t{max_bytes} || moved < -std::int64_t{max_bytes}) return false;
    bytes_ = static_cast<std::int32_t>(moved);
    return true;
  }

  std::int32_t bytes_;
};

}  // namespace trunkline::http::http2
