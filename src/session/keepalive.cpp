// SPDX-License-Identifier: MIT
// Decides what happens when the keepalive timer fires.
#include "session/keepalive.h"

#include <utility>

namespace trunkline::session {

void Keepalive::start(base::TimePoint now) noexcept {
  if (interval().count() > 0) timers_.schedule(timer_, base::deadline_after(now, interval()));
}

Keepalive::Action Keepalive::on_timer(base::TimePoint now, Observation seen) noexcept {
  if (!seen.is_listening) {
    awaits_pong_ = false;
    timers_.schedule(timer_, base::deadline_after(now, interval()));
    return Action::none;
  }
  const bool has_received = last_received_ >= ping_sent_;
  const bool is_silence_allowed = !seen.has_calls && !limits_.keepalive_while_idle;
  if (awaits_pong_ && !has_received && is_silence_allowed && seen.may_rest) {
    // The call that was open when the ping was sent has ended. The pong comes when the client calls again.
    awaits_pong_ = false;
    timers_.schedule(timer_, base::deadline_after(now, interval()));
    return Action::none;
  }
  if (awaits_pong_ && !has_received) {
    // While input waits in the socket a pong may wait there as well. It then counts that the peer takes output.
    if (!seen.is_stalled || !std::exchange(wrote_since_ping_, false)) return Action::time_out;
    timers_.schedule(timer_, base::deadline_after(now, timeout_));
    return Action::none;
  }
  awaits_pong_ = false;
  if (now - last_received_ < interval()) {
    timers_.schedule(timer_, last_received_ + interval());
    return Action::none;
  }
  if (is_silence_allowed) {
    timers_.schedule(timer_, base::deadline_after(now, interval()));
    return Action::none;
  }
  awaits_pong_ = true;
  wrote_since_ping_ = false;
  ping_sent_ = now;
  timers_.schedule(timer_, base::deadline_after(now, timeout_));
  return Action::ping;
}

}  // namespace trunkline::session
