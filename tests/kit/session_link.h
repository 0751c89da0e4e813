// SPDX-License-Identifier: MIT
// SessionLink: carries bytes between two sessions in virtual time; delays, splits, cuts and corrupts them.
#pragma once

#include "base/clock.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace trunkline::kit {

/// One direction of a connection. Like a socket, it holds at most `capacity` bytes: a slow reader blocks the writer.
class SessionLink {
 public:
  explicit SessionLink(base::Duration latency = {}, std::size_t capacity = 256 * 1024) noexcept
      : latency_(latency), capacity_(capacity) {}

  /// The number of bytes that may be sent now.
  std::size_t room() const noexcept {
    return is_cut_ || in_flight_bytes_ >= capacity_ ? 0 : capacity_ - in_flight_bytes_;
  }
  void send(std::string bytes, base::TimePoint now);
  /// The sender closes; what was sent still arrives.
  void close() noexcept { is_closed_ = true; }
  /// The link breaks: nothing more arrives.
  void cut() noexcept;

  /// Takes at most `max_bytes` of the bytes that have arrived.
  std::string receive(std::size_t max_bytes, base::TimePoint now);
  bool is_cut() const noexcept { return is_cut_; }
  /// True if everything was received and nothing more will arrive.
  bool is_at_end() const noexcept { return is_cut_ || (is_closed_ && in_flight_bytes_ == 0); }
  /// When the next bytes arrive; `never` if there are none.
  base::TimePoint next_arrival() const noexcept;
  /// Bytes that were sent and not yet received.
  std::size_t in_flight_bytes() const noexcept { return in_flight_bytes_; }

  /// Called with all bytes that are sent.
  std::function<void(std::string_view)> on_bytes;

  /// A fault at a position in the stream of bytes: the byte at `position` is changed, or the link is cut before it.
  void corrupt_at(std::uint64_t position, std::uint8_t mask) noexcept { corrupt_at_ = position, corrupt_mask_ = mask; }
  void cut_at(std::uint64_t position) noexcept { cut_at_ = position; }

 private:
  struct Segment {
    base::TimePoint arrival;
    std::string bytes;
  };

  base::Duration latency_;
  std::size_t capacity_;
  std::deque<Segment> segments_;
  std::size_t in_flight_bytes_ = 0;
  std::uint64_t sent_ = 0;
  std::optional<std::uint64_t> cut_at_;
  std::optional<std::uint64_t> corrupt_at_;
  std::uint8_t corrupt_mask_ = 0;
  bool is_closed_ = false;
  bool is_cut_ = false;
};

}  // namespace trunkline::kit
