// SPDX-License-Identifier: MIT
// FailingMemory: while it exists, an allocation of its thread fails.
#pragma once

namespace trunkline::session {

/// Counts from the allocation after its construction. At most one of a thread exists at a time.
class FailingMemory {
 public:
  enum class Failure : unsigned char { once, from_then_on };

  /// The `nth` allocation fails, from 1.
  FailingMemory(long nth, Failure failure) noexcept;
  ~FailingMemory();
  FailingMemory(const FailingMemory&) = delete;
  FailingMemory& operator=(const FailingMemory&) = delete;

  /// False: there were fewer allocations.
  bool has_failed() const noexcept;
  /// False in a build whose sanitizer has an operator new of its own. Nothing fails there.
  static bool is_supported() noexcept;
};

}  // namespace trunkline::session
