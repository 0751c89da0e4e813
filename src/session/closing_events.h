// SPDX-License-Identifier: MIT
// ClosingEvents: the events with which a session ends, and why it ends.
#pragma once

#include "session/event.h"

#include <trunkline/status.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace trunkline::session {

/// A session that has ended reports the end of each open call, the oldest first, and then its own. The layer above may
/// finish and cancel calls between the events.
class ClosingEvents {
 public:
  /// The session ends. If there is no memory for the text of the reason, the reason becomes ok.
  void begin(const Status& reason) noexcept {
    try {
      reason_ = reason;
    } catch (...) {
      reason_ = {};
    }
  }
  /// Returns why the session has ended. The status is ok after an orderly end.
  const Status& reason() const noexcept { return reason_; }
  /// Returns the status of the calls that end with the session.
  Status status_of_calls() const {
    return reason_.is_ok() ? Status(StatusCode::unavailable, "connection closed", StatusOrigin::transport) : reason_;
  }

  /// Returns the oldest call whose end has not been reported, or null if there is none. The caller forgets it before it
  /// asks again. `calls` has the functions empty(), find(id) and by_age(), which lists the oldest call first.
  template <class Calls>
  auto next_call(const Calls& calls) -> decltype(calls.find(CallId())) {
    while (!calls.empty()) {
      if (ids_.empty()) {
        for (const auto* call : calls.by_age()) ids_.push_back(call->id);
        std::reverse(ids_.begin(), ids_.end());
      }
      const CallId id = ids_.back();
      ids_.pop_back();
      // A call that was cancelled or finished meanwhile is not there any longer.
      if (auto* const call = calls.find(id)) return call;
    }
    return nullptr;
  }
  /// Sets `event` to the last one of the session, or returns false if it has been given already.
  bool take_last(Event& event) {
    if (std::exchange(is_last_given_, true)) return false;
    event.context = nullptr;
    event.type = EventType::closed;
    event.id = 0;
    event.status = reason_;
    return true;
  }
  /// Returns true once take_last() has set an event.
  bool is_last_given() const noexcept { return is_last_given_; }

 private:
  Status reason_;
  /// Calls whose ends are still to be reported, the oldest last.
  std::vector<CallId> ids_;
  bool is_last_given_ = false;
};

}  // namespace trunkline::session
