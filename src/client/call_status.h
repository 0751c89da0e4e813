// SPDX-License-Identifier: MIT
// Makes the statuses of failed calls for callers: which call failed, what it waited for, and at which peer.
#pragma once

#include "base/clock.h"
#include "client/method_table.h"

#include <trunkline/status.h>

#include <string>
#include <string_view>

namespace trunkline::client {

/// Returns a copy of `status` whose message begins with "call METHOD: ", for errors of this side.
Status about_call(const MethodEntry& method, const Status& status);
/// Returns "call METHOD: deadline exceeded after N ms", with " waiting for WHAT" unless `what` is empty.
Status deadline_status(const MethodEntry& method, base::Duration waited, std::string_view what);
/// The times of a call. `started` counts only if there is a deadline.
struct CallTimes {
  base::TimePoint started;
  base::TimePoint deadline = base::never;
  base::TimePoint ended;
};
/// Returns the status with which a session has ended a call on the connection to `peer`. Errors of this side name the
/// call and the peer, and so does the end of the call's deadline at the peer. Other errors of the peer stay as they
/// are.
Status status_at_peer(const MethodEntry& method, Status status, const CallTimes& times, const std::string& peer);

}  // namespace trunkline::client
