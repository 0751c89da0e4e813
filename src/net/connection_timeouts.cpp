// SPDX-License-Identifier: MIT
// ConnectionTimeouts: schedules the timer for the handshake, and then for the idle time.
#include "net/connection_timeouts.h"

namespace trunkline::net {

void ConnectionTimeouts::begin_handshake(base::TimerWheel& timers, base::TimePoint since) noexcept {
  phase_ = Phase::handshake;
  const bool is_limited = limits_.handshake > limits_.handshake.zero();
  timers.schedule(timer_, is_limited ? base::deadline_after(since, limits_.handshake) : base::never);
}

void ConnectionTimeouts::end_handshake(base::TimerWheel& timers, base::TimePoint now) noexcept {
  phase_ = Phase::open;
  last_active_ = now;
  timers.schedule(timer_, has_idle_limit() ? base::deadline_after(now, limits_.idle) : base::never);
}

ConnectionTimeouts::Expired ConnectionTimeouts::check(base::TimerWheel& timers, const session::Session& session,
                                                      base::TimePoint now) noexcept {
  if (session.is_closed() || phase_ == Phase::none) return Expired::nothing;
  if (phase_ == Phase::handshake) {
    if (!session.is_open()) return Expired::handshake;
    end_handshake(timers, now);
    return Expired::nothing;
  }
  if (session.open_calls() > background_calls_) last_active_ = now;
  const base::TimePoint end = base::deadline_after(last_active_, limits_.idle);
  if (now < end) {
    timers.schedule(timer_, end);
    return Expired::nothing;
  }
  timers.schedule(timer_, base::deadline_after(now, limits_.idle));
  return Expired::idle;
}

void ConnectionTimeouts::cancel() noexcept {
  timer_.cancel();
  phase_ = Phase::none;
}

}  // namespace trunkline::net
