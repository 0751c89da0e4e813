// SPDX-License-Identifier: MIT
// ContentRoom: memory for the message that a connection of HTTP/1.1 gathers.
#pragma once

#include "session/memory_share.h"
#include "session/web/message_limits.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace trunkline::session::http1 {

/// A message that has room must be able to end (decision 14), so a message of a known length gets room for all of it.
/// Content of an unknown length gets room for twice what has come, again and again. Where others have used up the
/// memory, one such content at a time gets room for the longest. Short messages need no room: a sender that is slow, or
/// waits, does not keep them from coming.
class ContentRoom {
 public:
  /// `share` outlives the object.
  explicit ContentRoom(MemoryShare& share) noexcept : share_(share) {}

  /// A message of `bytes` is about to be gathered. Call take() if is_waiting(), or free() if nobody wants it after all.
  void want(std::size_t bytes) noexcept {
    if (bytes > web::most_bytes_without_room) wanted_ = longest_ = bytes;
  }
  /// Returns true if content of which `bytes` have come needs more room to go on.
  bool needs_more(std::size_t bytes) const noexcept { return bytes > std::max(taken_, web::most_bytes_without_room); }
  /// Content of which `bytes` have come goes on, and may become as long as `longest`. Call take().
  void want_more(std::size_t bytes, std::size_t longest) noexcept {
    longest_ = std::max(longest, bytes);
    wanted_ = std::min(longest_, 2 * bytes);
  }
  /// Takes the room that is wanted. Returns false if there is none yet.
  bool take() noexcept {
    if (!is_waiting()) return true;
    const std::size_t more = share_.try_take_up_to(wanted_ - taken_, longest_ - taken_);
    share_.set_waiting(more > 0 ? MemoryShare::Shortage::nothing : share_.shortage());
    taken_ += more;
    return more > 0;
  }
  bool is_waiting() const noexcept { return wanted_ > taken_; }
  /// The message has room, and its end has not come.
  bool is_taken() const noexcept { return taken_ > 0 && !is_waiting(); }
  /// Returns how much has yet to come of what there is room for, if `bytes` have come.
  std::size_t left(std::size_t bytes) const noexcept { return taken_ > bytes ? taken_ - bytes : 0; }
  /// The message is over.
  void free() noexcept {
    if (wanted_ == 0) return;
    taken_ = wanted_ = 0;
    share_.set_waiting(MemoryShare::Shortage::nothing);
    share_.free_reserve();
  }

 private:
  MemoryShare& share_;
  std::size_t taken_ = 0;
  /// The message wants this much room in total. Unless it is more than `taken_`, nothing is waited for.
  std::size_t wanted_ = 0;
  std::size_t longest_ = 0;
};

}  // namespace trunkline::session::http1
