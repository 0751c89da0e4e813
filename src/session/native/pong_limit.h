// SPDX-License-Identifier: MIT
// PongLimit: bounds the pongs that a peer can make this side buffer by pinging without reading.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace trunkline::session::native {

/// Counts pongs that are encoded and not yet written. They are counted in two groups, before and after a mark in the
/// output, so that the position of each pong need not be stored: the count may be too high, never too low.
class PongLimit {
 public:
  /// `max_unsent` is at least as many as arrive in one read, because none is written before the whole read is decoded.
  explicit PongLimit(std::uint32_t max_unsent) noexcept : max_unsent_(max_unsent) {}

  /// Returns a limit that a peer that reads never reaches: the pings of two full read buffers, and a few more.
  static constexpr std::uint32_t for_reads_of(std::size_t read_buffer_bytes) noexcept {
    constexpr std::size_t ping_bytes = 24;
    return static_cast<std::uint32_t>(64 + 2 * read_buffer_bytes / ping_bytes);
  }
  std::uint32_t max_unsent() const noexcept { return max_unsent_; }

  void wrote(std::uint64_t bytes) noexcept { written_ += bytes; }
  /// One more pong is about to be encoded, behind `unsent_bytes` of output. Returns false if it exceeds the limit.
  bool add(std::uint64_t unsent_bytes) noexcept {
    if (written_ >= mark_) {
      before_mark_ = std::exchange(after_mark_, 0);
      mark_ = written_ + unsent_bytes;
    }
    return before_mark_ + ++after_mark_ <= max_unsent_;
  }

 private:
  const std::uint32_t max_unsent_;
  /// Counts all bytes that were written to the transport.
  std::uint64_t written_ = 0;
  /// The pongs in before_mark_ have been written once written_ reaches this.
  std::uint64_t mark_ = 0;
  std::uint32_t before_mark_ = 0;
  std::uint32_t after_mark_ = 0;
};

}  // namespace trunkline::session::native
