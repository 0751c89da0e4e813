// SPDX-License-Identifier: MIT
// PongLimit: bounds the pongs that a peer can make this side buffer by pinging without reading.
#pragma once

#include <cstdint>
#include <utility>

namespace trunkline::session::native {

/// Counts pongs that are encoded and not yet written. They are counted in two groups, before and after a mark in the
/// output, so that the position of each pong need not be stored: the count may be too high, never too low.
class PongLimit {
 public:
  static constexpr std::uint32_t max_unsent_pongs = 64;

  void wrote(std::uint64_t bytes) noexcept { written_ += bytes; }
  /// One more pong is about to be encoded, behind `unsent_bytes` of output. False: it exceeds the limit.
  bool add(std::uint64_t unsent_bytes) noexcept {
    if (written_ >= mark_) {
      before_mark_ = std::exchange(after_mark_, 0);
      mark_ = written_ + unsent_bytes;
    }
    return before_mark_ + ++after_mark_ <= max_unsent_pongs;
  }

 private:
  /// Bytes written to the transport in all.
  std::uint64_t written_ = 0;
  /// The pongs in before_mark_ have been written once written_ reaches this.
  std::uint64_t mark_ = 0;
  std::uint32_t before_mark_ = 0;
  std::uint32_t after_mark_ = 0;
};

}  // namespace trunkline::session::native
