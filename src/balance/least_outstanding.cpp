// SPDX-License-Identifier: MIT
// LeastOutstanding: takes the first of the ranking by open calls.
#include "balance/least_outstanding.h"

namespace trunkline::balance {

ServerLoad* LeastOutstanding::choose(const CallHints& hints, base::TimePoint now) {
  if (servers().empty()) return nullptr;
  set_now(now);
  turn_ = turn_ + 1 < servers().size() ? turn_ + 1 : 0;
  const ServerLoad& next = *servers()[turn_];
  if (next.slow_start > base::Duration::zero()) rank_anew(next);
  return unless_avoided(best(), hints);
}

}  // namespace trunkline::balance
