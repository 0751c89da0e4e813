// SPDX-License-Identifier: MIT
// LoopDriver: waits, and runs what was posted while no thread ran the loop.
#include "client/loop_driver.h"

namespace trunkline::client {

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
