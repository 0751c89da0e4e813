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

/// One direction. Like a socket it holds at most `capacity` bytes: a slow reader blocks the writer.
class SessionLink {
 public:
  explicit SessionLink(base::Duration latency = {}, std::size_t capacity = 256 * 1024) noexcept
      : latency_(latency), capacity_(capacity) {}

  /// The number of bytes that may be sent now.
  std::size_t room() const noexcept { return is_cut_ || held_ >= capacity_ ? 0 : capacity_ - held_; }
  void send(std::string bytes, base::TimePoint now);
  /// The sender closes; what was sent still arrives.
  void close() noexcept { is_closed_ = true; }
  /// The link breaks: nothing more arrives.
  void cut() noexcept;

  /// Takes at most `most` of the bytes that have arrived.
  std::string receive(std::size_t most, base::TimePoint now);
  bool is_cut() const noexcept { return is_cut_; }
  /// True if everything was received and nothing more will arrive.
  bool is_at_end() const noexcept { return is_cut_ || (is_closed_ && held_ == 0); }
  /// When the next bytes arrive; `never` if there are none.
  base::TimePoint next_arrival() const noexcept;
  std::size_t held() const noexcept { return held_; }

  /// Called with all bytes that are sent.
  std::function<void(std::string_view)> on_bytes;

  /// A fault at a position in the stream of bytes: the byte at `position` is changed, or the link is cut before it.
  void spoil_at(std::uint64_t position, std::uint8_t mask) noexcept { spoil_at_ = position, spoil_mask_ = mask; }
  void cut_at(std::uint64_t position) noexcept { cut_at_ = position; }

 private:
  struct Parcel {
    base::TimePoint arrival;
    std::string bytes;
  };

  base::Duration latency_;
  std::size_t capacity_;
  std::deque<Parcel> parcels_;
  std::size_t held_ = 0;
  std::uint64_t sent_ = 0;
  std::optional<std::uint64_t> cut_at_;
  std::optional<std::uint64_t> spoil_at_;
  std::uint8_t spoil_mask_ = 0;
  bool is_closed_ = false;
  bool is_cut_ = false;
};

}  // namespace trunkline::kit
