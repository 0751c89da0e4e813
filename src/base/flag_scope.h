// SPDX-License-Identifier: MIT
// FlagScope: a flag that is set during a scope, also if an exception ends it.
#pragma once

namespace trunkline::base {

class FlagScope {
 public:
  /// Sets `flag`, which must outlive this object.
  explicit FlagScope(bool& flag) noexcept : flag_(flag) { flag_ = true; }
  ~FlagScope() { flag_ = false; }
  FlagScope(const FlagScope&) = delete;
  FlagScope& operator=(const FlagScope&) = delete;

 private:
  bool& flag_;
};

}  // namespace trunkline::base
