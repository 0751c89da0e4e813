// SPDX-License-Identifier: MIT
// InheritedDeadline: the value of each thread.
#include "call/inherited_deadline.h"

namespace trunkline::call {

base::TimePoint& InheritedDeadline::value() noexcept {
  static thread_local base::TimePoint deadline = base::never;
  return deadline;
}

}  // namespace trunkline::call
