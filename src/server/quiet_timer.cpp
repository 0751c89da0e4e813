// SPDX-License-Identifier: MIT
// QuietTimer: decides when free blocks go back to the system.
#include "server/quiet_timer.h"

#include "base/block_pool.h"

#include <chrono>

namespace trunkline::server {

void QuietTimer::schedule() {
  constexpr std::chrono::seconds quiet_time{1};
  loop_.timers().schedule(timer_, base::deadline_after(loop_.now(), quiet_time));
}

/// Frees blocks. Those of a burst are of no use to what remains, and nobody knows when the next burst comes.
void QuietTimer::on_timer(base::Timer&, void* self, base::TimePoint) {
  if (base::trim_block_pool()) static_cast<QuietTimer*>(self)->schedule();
}

}  // namespace trunkline::server
