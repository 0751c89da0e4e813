// SPDX-License-Identifier: MIT
// GoawayState: the goaways that the two sides have exchanged (docs/wire.md, section 9).
#pragma once

#include "session/native/call_ids.h"

namespace trunkline::session::native {

/// A goaway is sent at most once for a drain. A further goaway of the peer must not name a later call than before.
class GoawayState {
 public:
  /// The layer above wants no further calls.
  void request_drain() noexcept { is_drain_requested_ = true; }
  bool is_drain_requested() const noexcept { return is_drain_requested_; }

  /// A client's goaway says that no call follows, so it waits until the queued calls have been sent.
  void defer() noexcept { is_deferred_ = true; }
  void end_deferral() noexcept { is_deferred_ = false; }
  bool is_deferred() const noexcept { return is_deferred_; }

  bool is_sent() const noexcept { return is_sent_; }
  /// Returns the id that this side's goaway names: at a server the last call looked at when it was sent, at a client 0.
  CallId sent_id() const noexcept { return sent_id_; }
  void set_sent(CallId last_seen) noexcept {
    if (!is_sent_) sent_id_ = last_seen;
    is_sent_ = true;
  }

  /// The peer's goaway names `id`. Returns false if that is after the one that it named before.
  bool receive(CallId id) noexcept {
    const bool is_later = is_received_ && id != 0 && (received_id_ == 0 || CallIds::is_after(id, received_id_));
    if (is_later) return false;
    is_received_ = true;
    received_id_ = id;
    return true;
  }
  bool is_received() const noexcept { return is_received_; }
  CallId received_id() const noexcept { return received_id_; }

 private:
  CallId sent_id_ = 0;
  CallId received_id_ = 0;
  bool is_drain_requested_ = false;
  bool is_deferred_ = false;
  bool is_sent_ = false;
  bool is_received_ = false;
};

}  // namespace trunkline::session::native
