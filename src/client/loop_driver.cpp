// SPDX-License-Identifier: MIT
// LoopDriver: waits, and catches up with a loop that was idle.
#include "client/loop_driver.h"

namespace trunkline::client {

namespace {
/// If no thread has run the loop for longer than this, the connections' events, such as their end, are processed before
/// a call is sent.
constexpr auto stale_after = std::chrono::milliseconds(10);
}  // namespace

void LoopDriver::catch_up() {
  const base::TimePoint now = base::Clock::now();
  if (now - last_led_ > stale_after) poll();
  if (loop_.has_posted()) run_posted();
  last_led_ = now;
}

void LoopDriver::run_posted() {
  // The task is behind those that are waiting now. Tasks that are posted later do not delay the call.
  struct Last : net::PostedTask {
    bool has_run = false;
  } last;
  last.run = [](net::PostedTask* task) { static_cast<Last*>(task)->has_run = true; };
  loop_.post(&last);
  while (!last.has_run) poll();
}

void LoopDriver::poll() noexcept {
  try {
    loop_.poll();
  } catch (...) {
    on_exception_();
  }
}

void LoopDriver::wait(BlockedCall& call) {
  // This thread may run the loop while it waits. Its inherited deadline does not apply to the work of the loop.
  const call::InheritedDeadline::Scope none(base::never);
  runner_.wait(call.finished_);
}

}  // namespace trunkline::client
