// SPDX-License-Identifier: MIT
// CurrentEvent: what a session owes for the event that next() returned last, until the following next().
#pragma once

#include "base/clock.h"
#include "session/event.h"

#include <utility>

namespace trunkline::session::native {

/// Holds the call of the event if it is new, the credit of its message, and the memory behind its views. At most one
/// call is new: either it is in no table (call()), or it is in the table and has no context yet (unattached()).
class CurrentEvent {
 public:
  /// Describes a new call that is in no table: most calls are finished before they would need an entry.
  struct Call {
    CallId id = 0;
    enum class State : std::uint8_t { none, two_way, one_way } state = State::none;
    /// The client has sent all of its messages.
    bool has_peer_ended = false;
    /// On an ordered connection the call is only to be finished, in its turn.
    bool is_refused = false;
    base::TimePoint deadline = base::never;
    /// The call's metadata takes this much memory, which is counted once the call is in the table.
    std::size_t retained_bytes = 0;
  };

  bool has_call() const noexcept { return call_.state != Call::State::none; }
  bool is_call(CallId id) const noexcept { return has_call() && call_.id == id; }
  const Call& call() const noexcept { return call_; }
  void set_call(const Call& call) noexcept { call_ = call; }
  /// Sets the call to a complete unary call without deadline or metadata.
  void set_unary_call(CallId id) noexcept {
    // The members are set one by one: an object built in small pieces and copied in large ones stalls the processor.
    call_.id = id;
    call_.state = Call::State::two_way;
    call_.has_peer_ended = true;
    call_.is_refused = false;
    call_.deadline = base::never;
    call_.retained_bytes = 0;
  }
  /// The call is finished or in the table. call() remains readable until the next set_call().
  void clear_call() noexcept { call_.state = Call::State::none; }

  /// Returns the call that is in the table and has no context yet, or 0 if there is none.
  CallId unattached() const noexcept { return unattached_; }
  void set_unattached(CallId id) noexcept { unattached_ = id; }
  void attached(CallId id) noexcept {
    if (unattached_ == id) unattached_ = 0;
  }
  CallId take_unattached() noexcept { return std::exchange(unattached_, 0); }

  /// The event's message cost `credit`, which goes back to the peer when the event is released.
  void set_credit(CallId call, const MessageCredit& credit) noexcept {
    credit_ = credit;
    credit_call_ = call;
  }
  /// Sets the credit of the last message of a call: the peer can use no more credit of the call, so that none of it is
  /// owed.
  void set_unary_credit(CallId call, std::uint32_t connection_bytes) noexcept {
    credit_.connection_bytes = connection_bytes;
    credit_.call_bytes = 0;
    credit_call_ = call;
  }
  bool has_credit() const noexcept { return credit_.connection_bytes != 0; }
  const MessageCredit& credit() const noexcept { return credit_; }
  CallId credit_call() const noexcept { return credit_call_; }
  void clear_credit() noexcept { credit_.connection_bytes = credit_.call_bytes = credit_.further_bytes = 0; }

  /// The views of the event point into these two, unless they point into the receive buffer.
  void retain_payload(Slice payload) noexcept { payload_ = std::move(payload); }
  const Slice& payload() const noexcept { return payload_; }
  void retain_frame(Slice frame) noexcept { frame_ = std::move(frame); }
  const Slice& frame() const noexcept { return frame_; }
  void release_memory() noexcept {
    if (payload_.block() != nullptr) payload_ = {};
    if (frame_.block() != nullptr) frame_ = {};
  }

 private:
  MessageCredit credit_;
  CallId credit_call_ = 0;
  CallId unattached_ = 0;
  Call call_;
  Slice payload_;
  Slice frame_;
};

}  // namespace trunkline::session::native
