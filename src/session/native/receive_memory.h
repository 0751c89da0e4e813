// SPDX-License-Identifier: MIT
// ReceiveMemory: the memory of incoming messages that are unfinished or unread, against max_unread_bytes.
#pragma once

#include <trunkline/connection_limits.h>
#include <trunkline/status.h>

#include <cstddef>
#include <cstdint>

namespace trunkline::session::native {

/// A sum; whoever retains bytes releases as many. What a message costs in credit is counted by ReceiveCredit, not here.
class ReceiveMemory {
 public:
  explicit ReceiveMemory(const ConnectionLimits& limits) noexcept : limits_(limits) {}

  bool has_room_for(std::uint64_t bytes) const noexcept { return retained_ + bytes <= limits_.max_unread_bytes; }
  /// True if a message of that many bytes may be begun. One message always may: the metadata of calls, which remains
  /// until they end, must not keep all of them from being completed.
  bool has_room_for_message(std::uint64_t bytes) const noexcept {
    return has_room_for(bytes) || (retained_ == metadata_ && may_ever_hold(bytes));
  }
  /// False: the message alone exceeds the limit.
  bool may_ever_hold(std::uint64_t bytes) const noexcept { return bytes <= limits_.max_unread_bytes; }
  void retain(std::size_t bytes) noexcept { retained_ += bytes; }
  void release(std::size_t bytes) noexcept { retained_ -= bytes; }
  void retain_metadata(std::size_t bytes) noexcept {
    retained_ += bytes;
    metadata_ += bytes;
  }
  void release_metadata(std::size_t bytes) noexcept {
    retained_ -= bytes;
    metadata_ -= bytes;
  }
  std::size_t retained() const noexcept { return retained_; }
  /// The error for `bytes` that there is no room for.
  Status exceeded_by(std::uint64_t bytes) const;

 private:
  const ConnectionLimits& limits_;
  /// Unfinished messages, metadata of open calls, and what long messages take that the application has not released.
  std::size_t retained_ = 0;
  /// The part of retained_ that is metadata.
  std::size_t metadata_ = 0;
};

}  // namespace trunkline::session::native
