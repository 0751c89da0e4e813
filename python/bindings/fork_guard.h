// SPDX-License-Identifier: MIT
// What is left of a process in its forked child: whether an object was made before the fork.
#pragma once

#include <cstdint>

namespace trunkline::python {

/// Rises by one in the child of each fork.
std::uint32_t process_generation() noexcept;
/// Once, before the first object is made.
void watch_forks();

/// A member of what must not be used in a child: its locks and threads have stayed in the parent.
class ForkGuard {
 public:
  bool is_here() const noexcept { return generation_ == process_generation(); }
  /// Throws RpcError (failed_precondition) in a child. With the GIL.
  void require(const char* what) const;

 private:
  std::uint32_t generation_ = process_generation();
};

}  // namespace trunkline::python
