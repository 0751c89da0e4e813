// SPDX-License-Identifier: MIT
// Waiting, and catching up with a loop that was idle.
#include "client/loop_driver.h"

namespace trunkline::client {

namespace {
/// If no thread has run the loop for longer than this, the connections' events, such as their end, are processed before
/// a call is sent.
constexpr auto stale_after = std::chrono::milliseconds(10);
}  // namespace

void LoopDriver::catch_up() {
  const base::TimePoint now = base::Clock::now();
  if (now - last_led_ > stale_after) {
    try {
      loop_.poll();
    } catch (...) {
      hooks_.on_exception();
    }
  }
  last_led_ = now;
}

void LoopDriver::wait(BlockedCall& call) {
  // This thread may run the loop while it waits. Its inherited deadline does not apply to the work of the loop.
  const call::InheritedDeadline::Scope none(base::never);
  runner_.wait(call.finished_);
}

}  // namespace trunkline::client
