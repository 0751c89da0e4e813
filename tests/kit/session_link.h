// SPDX-License-Identifier: MIT
// SessionLink: bytes on their way between two sessions in virtual time - delayed, split anywhere, cut, spoiled.
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

/// One direction. Holds at most `capacity` bytes, as a socket does: a slow reader blocks the writer.
class SessionLink {
 public:
  explicit SessionLink(base::Duration latency = {}, std::size_t capacity = 256 * 1024) noexcept
      : latency_(latency), capacity_(capacity) {}

  /// Bytes that may be sent now.
  std::size_t room() const noexcept { return is_cut_ || held_ >= capacity_ ? 0 : capacity_ - held_; }
  void send(std::string bytes, base::TimePoint now);
  /// The sender has closed; what is under way still arrives.
  void close() noexcept { is_closed_ = true; }
  /// The link breaks: nothing more arrives.
  void cut() noexcept;

  /// At most `most` bytes that have arrived by now.
  std::string receive(std::size_t most, base::TimePoint now);
  bool is_cut() const noexcept { return is_cut_; }
  /// Everything has been received and no more will come.
  bool is_at_end() const noexcept { return is_cut_ || (is_closed_ && held_ == 0); }
  /// When the next bytes arrive; `never` if none are under way.
  base::TimePoint next_arrival() const noexcept;
  std::size_t held() const noexcept { return held_; }

  /// Told of everything that is sent.
  std::function<void(std::string_view)> on_bytes;

  /// Faults by position in the stream of bytes: the byte at `position` is changed, or the link is cut before it.
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
