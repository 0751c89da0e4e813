// SPDX-License-Identifier: MIT
// call_deadline(): decides which of the time limits of a call applies.
#include "call/call_deadline.h"

#include <algorithm>

namespace trunkline::call {

namespace {

base::TimePoint from_timeout(const std::optional<std::chrono::nanoseconds>& timeout, base::TimePoint now) noexcept {
  if (!timeout) return base::never;
  return base::deadline_after(now,
                              std::max(std::chrono::duration_cast<base::Duration>(*timeout), base::Duration::zero()));
}

}  // namespace

base::TimePoint call_deadline(const std::optional<std::chrono::nanoseconds>& timeout,
                              const std::optional<base::TimePoint>& deadline,
                              const std::optional<std::chrono::nanoseconds>& default_timeout, base::TimePoint inherited,
                              base::TimePoint now) noexcept {
  if (!timeout && !deadline) return std::min(from_timeout(default_timeout, now), inherited);
  return std::min(from_timeout(timeout, now), deadline.value_or(base::never));
}

}  // namespace trunkline::call
