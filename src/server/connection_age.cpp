// SPDX-License-Identifier: MIT
// ConnectionAge: schedules the timer for the age, and then for the grace.
#include "server/connection_age.h"

#include <utility>

namespace trunkline::server {

void ConnectionAge::begin(base::TimerWheel& timers, base::TimePoint since, std::uint64_t random) noexcept {
  if (limits_.age.count() == 0) return;
  constexpr double spread = 0.2;
  const double unit = static_cast<double>(random >> 11) * 0x1.0p-53;
  const std::chrono::duration<double, std::milli> age(static_cast<double>(limits_.age.count()) *
                                                      (1 - spread / 2 + spread * unit));
  timers.schedule(timer_, base::deadline_after(since, std::chrono::duration_cast<base::Duration>(age)));
}

ConnectionAge::Expired ConnectionAge::expire(base::TimerWheel& timers, base::TimePoint now) noexcept {
  if (std::exchange(is_over_, true)) return Expired::grace;
  if (limits_.grace.count() > 0) timers.schedule(timer_, base::deadline_after(now, limits_.grace));
  return Expired::age;
}

}  // namespace trunkline::server
