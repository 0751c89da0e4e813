// SPDX-License-Identifier: MIT
// ReceiveCredit: flow control towards the peer - the credit it has left, and when it is given more.
#pragma once

#include "session/native/call_state.h"
#include "session/native/send_path.h"

#include <trunkline/connection_limits.h>

#include <cstdint>

namespace trunkline::session::native {

/// Owns the connection's credit; the credit of a call is in its CallState. Credit is returned half a window at a time:
/// that costs one small frame for many messages, and the peer never waits for the other half.
class ReceiveCredit {
 public:
  /// Both references outlive the object. Credit frames are written to `path`, until it is closed.
  ReceiveCredit(const ConnectionLimits& limits, SendPath& path) noexcept
      : limits_(limits), path_(path), left_(limits.connection_credit_bytes) {}

  /// Returns what the peer may still send on the connection; it is below 0 if the peer has sent too much.
  std::int64_t left() const noexcept { return left_; }
  void charge(std::uint32_t bytes) noexcept {
    left_ -= bytes;
    ++charged_frames_;
  }
  /// Returns how many frames that cost credit have come.
  std::uint64_t charged_frames() const noexcept { return charged_frames_; }
  /// `bytes` of the connection's credit have been consumed. More is granted earlier than after half a window if the
  /// peer has less than that left, because the rest is unread.
  void return_connection(std::uint32_t bytes) {
    returnable_ += bytes;
    if (returnable_ >= limits_.connection_credit_bytes / 2 || (returnable_ >= least_grant && returnable_ > left_))
        [[unlikely]]
      grant_connection();
  }
  /// The bytes of a message that waits for room.
  struct Waiting {
    std::uint64_t bytes = 0;
    /// The message began to wait behind an unread one of its call.
    bool behind_unread = false;
  };
  /// More of a message that waits has come. Up to half a window of such bytes is returned to the connection at once, so
  /// that other messages pass; what is beyond is withheld until drop_waiting(). Nothing is withheld for a message
  /// behind an unread one, which may wait for ever.
  void add_waiting(Waiting come) {
    if (come.behind_unread) {
      behind_unread_ += come.bytes;
      return return_connection(static_cast<std::uint32_t>(come.bytes));
    }
    const std::uint64_t before = withheld();
    waiting_ += come.bytes;
    return_connection(static_cast<std::uint32_t>(come.bytes - (withheld() - before)));
  }
  /// The bytes that were given to add_waiting() for a message do not wait any longer.
  void drop_waiting(Waiting message) {
    if (message.behind_unread) {
      behind_unread_ -= message.bytes;
      return;
    }
    const std::uint64_t before = withheld();
    waiting_ -= message.bytes;
    return_connection(static_cast<std::uint32_t>(before - withheld()));
  }
  /// Returns how many bytes are in memory: their credit has not been returned, or they wait for room.
  std::size_t held() const noexcept { return unread() + static_cast<std::size_t>(waiting_ + behind_unread_); }
  /// Returns the part of held() that does not wait for room: the application has yet to take it.
  std::size_t unread() const noexcept {
    const std::int64_t unreturned = std::int64_t{limits_.connection_credit_bytes} - left_ - returnable_;
    return static_cast<std::size_t>(unreturned - static_cast<std::int64_t>(withheld()));
  }
  /// `bytes` of the call's credit have been consumed. Nothing is granted once the peer can send no more on the call.
  void return_call(CallState& call, std::int64_t bytes);
  /// Grants `bytes`, more than 0, to a call that has no entry, at once.
  void grant_call(CallId id, std::int64_t bytes);

 private:
  static constexpr std::uint32_t least_grant = 16 << 10;

  std::uint64_t withheld() const noexcept {
    const std::uint64_t most = limits_.connection_credit_bytes / 2;
    return waiting_ > most ? waiting_ - most : 0;
  }
  void grant_connection();

  const ConnectionLimits& limits_;
  SendPath& path_;
  std::int64_t left_;
  std::uint64_t charged_frames_ = 0;
  /// This many bytes are consumed, and not yet granted again.
  std::uint32_t returnable_ = 0;
  /// This many bytes of messages wait for room, without those behind unread messages.
  std::uint64_t waiting_ = 0;
  std::uint64_t behind_unread_ = 0;
};

}  // namespace trunkline::session::native
