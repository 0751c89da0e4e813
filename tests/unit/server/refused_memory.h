// SPDX-License-Identifier: MIT
// RefusedMemory: while it exists, operator new fails on its thread.
#pragma once

namespace trunkline::server {

class RefusedMemory {
 public:
  RefusedMemory() noexcept;
  ~RefusedMemory();
  RefusedMemory(const RefusedMemory&) = delete;
  RefusedMemory& operator=(const RefusedMemory&) = delete;

  /// False in a build whose sanitizer has an operator new of its own. Nothing is refused there.
  static bool is_supported() noexcept;
};

}  // namespace trunkline::server
