// SPDX-License-Identifier: MIT
// ReceiveMemory: the memory of incoming messages that are unfinished or unread, against max_unread_bytes.
#pragma once

#include "session/memory_share.h"

#include <trunkline/connection_limits.h>
#include <trunkline/status.h>

#include <cstddef>
#include <cstdint>

namespace trunkline::session::native {

/// Says what a long message that needs room is for.
enum class MessageUse : std::uint8_t {
  of_open_call,
  /// The message begins a call, whose handler will keep it.
  request,
  /// The message begins a call, and has waited so long that handlers may be waiting for it.
  late_request,
};

/// Keeps a sum: whoever retains bytes releases as many. ReceiveCredit, and not this class, counts what messages cost.
class ReceiveMemory {
 public:
  /// Both references outlive the object. `share` learns of messages before they are received.
  ReceiveMemory(const ConnectionLimits& limits, MemoryShare& share) noexcept : limits_(limits), share_(share) {}

  /// Returns true if a new call may have that much metadata. Unread messages do not count: streams that nobody reads
  /// must not keep other calls from beginning.
  bool has_room_for_metadata(std::uint64_t bytes) const noexcept {
    return metadata_ + bytes <= limits_.max_unread_bytes;
  }
  /// Makes room for a long message until release_message(). Returns false if there is none now. The limit of the
  /// connection always has room for one unfinished message: what applications leave unread, and the metadata of calls,
  /// must not keep the messages of other calls from being completed. The message must not be one that its application
  /// gets only after it has read others, so that what a call leaves unread stays bounded. Requests get no such room
  /// while others wait for their turn on an ordered connection.
  bool try_retain_message(std::size_t bytes, MessageUse use = MessageUse::of_open_call) noexcept {
    shortage_ = MemoryShare::Shortage::nothing;
    const bool has_room = retained_ + bytes <= limits_.max_unread_bytes;
    const bool is_in_line = use != MessageUse::of_open_call && queued_ > 0;
    if (!has_room && (unfinished_ > 0 || is_in_line || !may_ever_hold(bytes))) return false;
    if (!try_take(bytes, use)) {
      shortage_ = share_.shortage();
      return false;
    }
    retained_ += bytes;
    room_ += bytes;
    ++unfinished_;
    return true;
  }
  /// Gives back the room of a message of `bytes`, of which `missing` have not come.
  void release_message(std::size_t bytes, std::size_t missing) noexcept {
    retained_ -= bytes;
    room_ -= missing;
    if (--unfinished_ == 0) share_.free_reserve();
  }
  /// Messages that try_retain_message() has made room for are incomplete.
  bool has_unfinished() const noexcept { return unfinished_ > 0; }
  /// `bytes` of a message that has room have come.
  void count_long_message(std::size_t bytes) noexcept {
    long_message_bytes_ += bytes;
    room_ -= bytes;
  }
  /// Returns the part of retained() that is room for what has yet to come.
  std::size_t room() const noexcept { return room_; }
  /// Counts all bytes of messages that have or had room.
  std::uint64_t bytes_of_long_messages() const noexcept { return long_message_bytes_; }
  /// Returns where the last try_retain_message() lacked memory that other connections use as well: in the budget, or in
  /// the share of the peer's address.
  MemoryShare::Shortage shortage() const noexcept { return shortage_; }
  /// New calls are refused.
  bool is_short() const noexcept { return share_.is_short(); }
  /// Returns the error for a new call while is_short().
  Status short_of_memory() const;
  /// Returns false if the message alone exceeds the limit.
  bool may_ever_hold(std::uint64_t bytes) const noexcept { return bytes <= limits_.max_unread_bytes; }
  /// `bytes` of retained() are requests that wait for their turn, or no longer.
  void queue(std::size_t bytes) noexcept { queued_ += bytes; }
  void unqueue(std::size_t bytes) noexcept { queued_ -= bytes; }
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
  /// Returns the error for `bytes` that there is no room for.
  Status exceeded_by(std::uint64_t bytes) const;

 private:
  bool try_take(std::size_t bytes, MessageUse use) noexcept {
    if (use == MessageUse::of_open_call) return share_.try_take(bytes);
    return use == MessageUse::request ? share_.try_take_for_request(bytes) : share_.try_take_for_late_request(bytes);
  }

  const ConnectionLimits& limits_;
  MemoryShare& share_;
  /// Counts unfinished messages, metadata of open calls, and what long messages take that are not released.
  std::size_t retained_ = 0;
  /// This part of retained_ is metadata.
  std::size_t metadata_ = 0;
  /// This part of retained_ is requests that wait for their turn.
  std::size_t queued_ = 0;
  /// Counts the messages for which try_retain_message() has made room.
  std::size_t unfinished_ = 0;
  std::uint64_t long_message_bytes_ = 0;
  std::size_t room_ = 0;
  MemoryShare::Shortage shortage_ = MemoryShare::Shortage::nothing;
};

}  // namespace trunkline::session::native
