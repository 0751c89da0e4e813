// SPDX-License-Identifier: MIT
// ForkGuard: counts forks.
#include "fork_guard.h"

#include "exit_guard.h"
#include "failure.h"

#include <pthread.h>

#include <atomic>
#include <string>

namespace trunkline::python {

namespace {
std::atomic<std::uint32_t> generation{0};
}

std::uint32_t process_generation() noexcept { return generation.load(std::memory_order_relaxed); }

void watch_forks() {
  static const int once = pthread_atfork(nullptr, nullptr, [] {
    generation.fetch_add(1, std::memory_order_relaxed);
    forget_exit();
  });
  static_cast<void>(once);
}

void ForkGuard::require(const char* what) const {
  if (is_here()) return;
  Status status(StatusCode::failed_precondition,
                std::string("use ") + what +
                    ": it was made in the parent process, before fork(); make a new one in this process");
  status.set_may_have_run(false);
  throw_failure(status);
}

}  // namespace trunkline::python
