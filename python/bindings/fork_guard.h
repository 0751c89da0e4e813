// SPDX-License-Identifier: MIT
// ForkGuard: says whether an object was made before a fork, and so must not be used in the forked child.
#pragma once

#include <cstdint>

namespace trunkline::python {

/// Returns the number of the process, which rises by one in the child of each fork.
std::uint32_t process_generation() noexcept;
/// Begins to count forks. Must be called once, before the first object is made.
void watch_forks();

/// A member of an object that must not be used in a child, since its locks and threads have stayed in the parent.
class ForkGuard {
 public:
  bool is_here() const noexcept { return generation_ == process_generation(); }
  /// Throws RpcError (failed_precondition) in a child. Requires the GIL.
  void require(const char* what) const;

 private:
  std::uint32_t generation_ = process_generation();
};

}  // namespace trunkline::python
