// SPDX-License-Identifier: MIT
// LeastTime: takes the first of the ranking by latency, or a random server.
#include "balance/least_time.h"

#include "balance/draw.h"

namespace trunkline::balance {

ServerLoad* LeastTime::choose(const CallHints& hints, base::TimePoint now) {
  if (servers().empty()) return nullptr;
  set_now(now);
  const std::uint64_t random = next_random();
  const bool is_random = (random >> 32) % one_random_of == 0;
  ServerLoad* const chosen = is_random ? servers()[draw_below(random, servers().size())] : best();
  return unless_avoided(chosen, hints);
}

}  // namespace trunkline::balance
